export { createAdmin } from './admin.js'

export type { AdminAccess, AdminOptions, AdminRequest, AuthorizeAdmin } from './access.js'
export type { Admin, AdminGround } from './admin.js'
export type { AdminErrorCode } from './reply.js'
