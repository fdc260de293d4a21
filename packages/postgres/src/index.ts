export { migrate, migrationSql } from './migration.js'
export { postgresSource } from './postgres-source.js'

export type { TableOptions } from './identifiers.js'
export type { PostgresClient, PostgresPool } from './postgres-client.js'
export type { PostgresSourceOptions } from './postgres-source.js'
