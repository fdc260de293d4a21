/** For every parse: else zod compiles a parser with `new Function`, which a process that forbids it would see. */
export const WITHOUT_EVAL = { jitless: true } as const
