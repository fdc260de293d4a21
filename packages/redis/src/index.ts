export { redisSource } from './redis-source.js'

export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.js'
export type { RedisSourceOptions } from './redis-source.js'
