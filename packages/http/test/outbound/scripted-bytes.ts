import type { ByteSource } from '../../src/outbound/byte-source.js'

/** Bytes that come when a test says so. */
export class ScriptedBytes implements ByteSource {
  state: 'open' | 'ended' | 'failed' = 'open'
  readonly failure = undefined
  readonly log: string[] = []
  #bytes: Buffer[] = []
  #reader: (() => void) | undefined

  take(): Buffer | undefined {
    return this.#bytes.shift()
  }

  onReady(callback: () => void): void {
    this.#reader = callback
  }

  release(): void {
    this.log.push('release')
  }

  cancel(): void {
    this.log.push('cancel')
  }

  give(text: string): void {
    this.#bytes.push(Buffer.from(text))
    this.wake()
  }

  wake(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.()
  }
}
