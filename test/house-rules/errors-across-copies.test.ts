import { isProviderUnavailableError, isUntranslatableModelError } from '@understudy/client'
import { isConfigError, isVersionConflictError } from '@understudy/config'
import { isChainFailedError, isLegFailedError } from '@understudy/core'
import { isUntranslatableRequestError } from '@understudy/dialects'
import { isChainControlError, isDrillError } from '@understudy/http'
import { isScriptError } from '@understudy/simulator'
import { isFrameTooLargeError } from '@understudy/sse'
import t from 'tap'

const recognisers: readonly (readonly [marker: string, recognise: (value: unknown) => boolean])[] = [
  ['understudy.ProviderUnavailableError', isProviderUnavailableError],
  ['understudy.UntranslatableModelError', isUntranslatableModelError],
  ['understudy.ConfigError', isConfigError],
  ['understudy.VersionConflictError', isVersionConflictError],
  ['understudy.ChainFailedError', isChainFailedError],
  ['understudy.LegFailedError', isLegFailedError],
  ['understudy.UntranslatableRequestError', isUntranslatableRequestError],
  ['understudy.ChainControlError', isChainControlError],
  ['understudy.DrillError', isDrillError],
  ['understudy.simulator.script-error', isScriptError],
  ['understudy.FrameTooLargeError', isFrameTooLargeError],
]

function refuse(): never {
  throw new Error('no')
}

t.test('each error is known by its marker, whichever copy of its package made it, and nothing else is taken for one', async (t) => {
  const hostile = new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse })
  for (const [marker, recognise] of recognisers) {
    t.equal(recognise(Object.assign(new Error('x'), { [Symbol.for(marker)]: true })), true, marker)
    for (const other of [new Error('x'), undefined, null, 'x', {}, [], hostile]) t.equal(recognise(other), false, marker)
  }
})
