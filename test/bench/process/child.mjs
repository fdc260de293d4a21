import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const START_MS = 20_000
const ANSWER_MS = 90_000
const STOP_MS = 2000

const within = (ms, what, promise) => {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing after ${ms} ms`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/**
 * With the windows of a scenario minutes apart, V8 takes a target for idle, as it would no server at work. It then throws bytecode away and
 * what it learned, and the most of those that have the most code; and its memory reducer lets the heap grow but slowly from then on, for as
 * long as the heap stays within 10 MB of what it was: one of two alike targets collected it 166 times in 20 s of bursts, the other 27 times.
 */
const NODE_FLAGS = ['--expose-gc', '--no-flush-bytecode', '--no-memory-reducer']

/** Starts a file as a process of its own, on one core where `pin` says so, and gives a way to ask it things. */
export async function startChild(file, { name, args = [], pin }) {
  const path = fileURLToPath(new URL(file, new URL('..', import.meta.url)))
  const [command, ...before] = [...pin, process.execPath, ...NODE_FLAGS]
  const child = spawn(command, [...before, path, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const waiting = new Map()
  let next = 0
  let closing = false

  const ready = Promise.withResolvers?.() ?? withResolvers()
  const fail = (error) => {
    ready.reject(error)
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  child.on('message', ({ ready: isReady, id, result, failure }) => {
    if (isReady) return ready.resolve()
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (failure === undefined) resolve(result)
    else reject(new Error(`${name}: ${failure}`))
  })
  child.on('error', fail)
  child.on('exit', (code, signal) => closing || fail(new Error(`${name} ended with ${signal ?? `code ${code}`}`)))

  const ended = new Promise((resolve) => child.on('exit', resolve))
  await within(START_MS, `start of ${name}`, ready.promise)

  return {
    name,
    ask: (command, options) => within(ANSWER_MS, `${name} ${command}`, new Promise((resolve, reject) => {
      const id = next++
      waiting.set(id, { resolve, reject })
      child.send({ id, command, options })
    })),
    // A child without its parent ends by itself, and takes along what it started; if not, it is ended.
    stop: async () => {
      closing = true
      if (child.connected) child.disconnect()
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(late)
    },
  }
}

function withResolvers() {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}
