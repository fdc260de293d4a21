import { startSimulator } from '../src/index.js'
import { exchange, streamed } from './raw-client.js'

const simulator = await startSimulator({
  script: {
    models: {
      stall: [{ connect: 'accept_stall' }],
      slow: [{ eventDelayMs: 60_000 }],
      late: [{ delayMs: 60_000 }],
      tail: [{ fault: { do: 'stall', afterEvents: 3 } }],
      flood: [{ chunks: [{ text: 'x'.repeat(1_000), repeat: 1_000_000 }] }],
    },
  },
})
const models = ['stall', 'slow', 'late', 'tail', 'flood']
const exchanges = models.map((model) => exchange(simulator, { body: { ...streamed, model }, deadlineMs: 60_000 }))
await Promise.all(models.map((model) => simulator.waitForCall(model, 1)))
simulator.waitForCall('never', 1, { timeoutMs: 60_000 }).catch(() => undefined)
await simulator.close()
await Promise.all(exchanges)
process.stdout.write('closed\n')
