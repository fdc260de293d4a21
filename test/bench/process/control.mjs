/** Answers what the parent process asks, one command after another as they come. A child without its parent ends. */
export function answerCommands(commands) {
  process.on('message', async ({ id, command, options }) => {
    try {
      process.send({ id, result: await commands[command](options) })
    } catch (error) {
      process.send({ id, failure: error instanceof Error ? error.stack : String(error) })
    }
  })
  process.on('disconnect', () => process.exit(0))
  process.send({ ready: true })
}
