// The load: raw sockets and a request made beforehand.
import { answerCommands } from '../process/control.mjs'
import { runLoad } from './closed-loop.mjs'
import { createOpenStreams } from './open-streams.mjs'

const streams = createOpenStreams()

answerCommands({
  load: runLoad,
  open: (options) => streams.open(options),
  // Content events received since the streams were opened, and streams that ended well.
  counts: () => streams.counts(),
  closeStreams: () => streams.close(),
})
