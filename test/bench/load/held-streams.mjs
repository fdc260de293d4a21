const RELEASE_AT_ONCE = 50

/** Streams that have begun and wait for more: events at an even pace, then their end. */
export function createHeldStreams() {
  let streams = []
  const lock = new Int32Array(new SharedArrayBuffer(4))

  return {
    /** `events`: what it is sent, in turn. */
    add: (socket, { events, ending }) => streams.push({ socket, events, ending }),

    /**
     * Sends events to the streams in turn, evenly spaced, each in a write of its own; resolves after the last. Timers tick
     * in milliseconds, which would send ten at a time; so the thread sleeps to the next event and looks at its sockets between.
     */
    pace: ({ events: total, perSecond }) => new Promise((resolve) => {
      const everyMs = 1000 / perSecond
      const from = performance.now()
      let sent = 0
      const step = () => {
        const elapsed = performance.now() - from
        while (sent < total && sent * everyMs <= elapsed) {
          const { socket, events } = streams[sent % streams.length]
          socket.write(events[sent % events.length])
          sent += 1
        }
        if (sent === total) return resolve({ sent })
        const wait = sent * everyMs - (performance.now() - from)
        if (wait > 0.06) Atomics.wait(lock, 0, 0, wait - 0.05)
        setImmediate(step)
      }
      step()
    }),

    /** Ends them all, a few at a time. */
    release: () => new Promise((resolve) => {
      const ended = streams
      streams = []
      const step = (from) => {
        for (const { socket, ending } of ended.slice(from, from + RELEASE_AT_ONCE)) socket.write(ending)
        if (from >= ended.length) return resolve({ released: ended.length })
        setTimeout(step, 2, from + RELEASE_AT_ONCE)
      }
      step(0)
    }),
  }
}
