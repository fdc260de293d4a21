/** What this process complained about while something was played. */
export interface ProcessWatch {
  readonly complaints: readonly string[]
  stop(): void
}

const watches = new Set<string[]>()
let installed = false

/** Listens to stderr, warnings, and what nobody caught. */
export function watchProcess(): ProcessWatch {
  install()
  const complaints: string[] = []
  watches.add(complaints)
  return {
    complaints,
    stop: () => {
      watches.delete(complaints)
    },
  }
}

function install(): void {
  if (installed) return
  installed = true
  const tell = (text: string) => {
    for (const complaints of watches) complaints.push(text)
  }
  process.on('warning', ({ name, message, stack }) => tell(`warning ${name}: ${message} ${stack ?? ''}`))
  process.on('unhandledRejection', (reason) => tell(`unhandledRejection: ${describe(reason)}`))
  process.on('uncaughtExceptionMonitor', (error) => tell(`uncaughtException: ${describe(error)}`))
  const write = process.stderr.write
  process.stderr.write = new Proxy(write, {
    apply: (target, self, args: Parameters<typeof write>) => {
      tell(`stderr: ${String(args[0])}`)
      return Reflect.apply(target, self, args)
    },
  })
}

function describe(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
}
