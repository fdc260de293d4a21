import { isMarked } from '@understudy/core'

const UNAVAILABLE = Symbol.for('understudy.ProviderUnavailableError')
const UNTRANSLATABLE_MODEL = Symbol.for('understudy.UntranslatableModelError')

/**
 * No provider could be asked: their breakers are open, or the window was over before the first attempt. Recognise it with
 * `isProviderUnavailableError`, which also holds between two copies of this package.
 */
export class ProviderUnavailableError extends Error {
  readonly code = 'ERR_UNDERSTUDY_PROVIDER_UNAVAILABLE'
  /** The names of the providers that would have been asked, in order. */
  readonly attempted: readonly string[]
  /** When the first of them may be asked again, in ms; absent where no wait helps. */
  readonly retryAfterMs: number | undefined

  constructor(attempted: readonly string[], retryAfterMs?: number) {
    super(`no provider could be asked: ${attempted.join(', ')}`)
    this.name = 'ProviderUnavailableError'
    this.attempted = attempted
    this.retryAfterMs = retryAfterMs
    Object.defineProperty(this, UNAVAILABLE, { value: true })
  }
}

/** Whether `error` is a `ProviderUnavailableError`, from this copy of the package or another. */
export function isProviderUnavailableError(error: unknown): error is ProviderUnavailableError {
  return isMarked(error, UNAVAILABLE)
}

/**
 * The chain came to an entry that names no model, and ends there. Recognise it with `isUntranslatableModelError`, which also
 * holds between two copies of this package.
 */
export class UntranslatableModelError extends Error {
  readonly code = 'ERR_UNDERSTUDY_UNTRANSLATABLE_MODEL'
  /** What stands in the place of the model. */
  readonly model: string | undefined
  /** The name of the entry's provider. */
  readonly provider: string

  constructor({ model, provider }: { readonly model: string | undefined; readonly provider: string }) {
    super(`no model is known to ask ${provider} for`)
    this.name = 'UntranslatableModelError'
    this.model = model
    this.provider = provider
    Object.defineProperty(this, UNTRANSLATABLE_MODEL, { value: true })
  }
}

/** Whether `error` is an `UntranslatableModelError`, from this copy of the package or another. */
export function isUntranslatableModelError(error: unknown): error is UntranslatableModelError {
  return isMarked(error, UNTRANSLATABLE_MODEL)
}
