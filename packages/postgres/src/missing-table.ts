import type { TableOptions } from './identifiers.js'
import type { WithClient } from './lent-client.js'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNDEFINED_TABLE = '42P01'

/** Has a query that meets no table say what to do, in place of a code. */
export function tellingOfTables(withClient: WithClient, { table = 'understudy_chains', schema }: TableOptions): WithClient {
  return async (signal, work) => {
    try {
      return await withClient(signal, work)
    } catch (error) {
      if (typeof error !== 'object' || error === null || Reflect.get(error, 'code') !== UNDEFINED_TABLE) throw error
      const place = schema === undefined ? '' : ` of the schema ${schema}`
      throw new Error(`the table ${table} or ${table}_history${place} is missing: run migrate(pool)`, { cause: error })
    }
  }
}
