import { createChain } from '@understudy/core'

const chain = createChain({
  legs: [
    {
      name: 'broken',
      open() {
        throw new Error('this model is not loaded')
      },
    },
    {
      name: 'fixed',
      async *open(request) {
        yield `You said: ${request.messages.at(-1).content[0].text}. `
        yield 'I can say no more.'
      },
    },
  ],
})

const { leg, failures, parts } = await chain.run({ messages: [{ role: 'user', content: 'Hello' }] })
for await (const part of parts) if (part.type === 'text') process.stdout.write(part.text)
console.log(`\nserved by ${leg.provider} after ${failures.length} failure(s)`)
