import { askedRoute } from './asked-route.js'
import type { KnownCaller } from './callers.js'
import type { CallerPool, ChainEntry, ChainWide } from './caller-chain.js'
import { callerChain, chainEntry, isNameable, kindsOf, limitedRoute, tightened } from './caller-chain.js'
import type { CallerFields, EntryWire } from './caller-fields.js'
import { callerFieldsOf, MAX_ENTRIES } from './caller-fields.js'
import type { ReadKeyDefaults } from './key-defaults.js'
import type { Rejection } from './rejection.js'
import type { RunnableRoute, UnusableRoute } from './routes.js'
import { baseRoute, routeFor, routeNames } from './routes.js'
import { cut, meantRoute, unusableRoute } from './unusable-route.js'

/** What a chain is chosen with. */
export interface ChainChoice extends CallerPool {
  readonly keyDefaults: ReadKeyDefaults
  /** The routes of embeddings, which no completion can ask. Default none. */
  readonly embeddings?: ReadonlyMap<string, unknown> | undefined
}

/** What a chain is chosen for. */
export interface ChainAsk {
  readonly body: Readonly<Record<string, unknown>>
  readonly model: string | undefined
  readonly known: KnownCaller
}

/** A chain and what was asked for, or what to tell the client. */
export type ChosenChain =
  | { readonly route: RunnableRoute; readonly requested: string | undefined }
  | { readonly rejection: Rejection }

/** Which chain a request gets: the caller's, its key's, its route's, or the one leg that it names. */
export function chooseChain(choice: ChainChoice, ask: ChainAsk): ChosenChain {
  const fields = callerFieldsOf(ask.body)
  const chosen = chosenFor(choice, ask, fields)
  if ('rejection' in chosen) return chosen
  const route = askedRoute(chosen.route, ask.model)
  return { route: fields.idempotent === false ? tightened(route) : route, requested: chosen.requested }
}

function chosenFor(choice: ChainChoice, { model, known }: ChainAsk, fields: CallerFields): ChosenChain {
  const { routes, callers } = choice
  const { models, fallback_models: fallbacks, redundancy } = fields
  const isList = (list: unknown): boolean => list !== undefined && list !== null
  if (isList(models) && isList(fallbacks)) {
    return refused('invalid_request_error', 'models and fallback_models cannot be combined; send one of them', 'fallback_models')
  }
  const own = isList(models) ? 'models' : (fallbacks?.length ?? 0) > 0 ? 'fallback_models' : isList(redundancy) ? 'redundancy' : undefined
  if (own !== undefined && !callers.chains) return disabled(own)

  const wide: ChainWide = { timeoutMs: redundancy?.timeout_ms, firstTokenTimeoutMs: redundancy?.first_token_timeout_ms }
  const on = redundancy?.on ?? undefined
  const advance = on === undefined ? callers.advanceOn : kindsOf(on)
  if (own === 'models' || own === 'fallback_models') {
    const first = model !== undefined && model !== '' ? model : baseRoute(routes)?.name
    if (own === 'fallback_models' && first === undefined) return unusable('model_required')
    const written: readonly EntryWire[] = own === 'models' ? (models ?? []) : [first ?? '', ...(fallbacks ?? [])]
    const entries = distinctEntries(written, wide)
    if (entries === undefined) {
      return refused('invalid_request_error', `${own}: a chain has at most ${MAX_ENTRIES} distinct entries`, own)
    }
    const chain = callerChain(choice, entries, 'caller', advance)
    return 'unknown' in chain ? unknownEntry(choice, entries[chain.unknown]?.name ?? '', own) : { route: chain, requested: entries[0]?.name }
  }

  const defaults = model === undefined ? undefined : choice.keyDefaults(known.caller, known.keyId)
  const position = model === undefined || defaults === undefined ? -1 : defaults.models.indexOf(model)
  if (defaults !== undefined && position !== -1) {
    const under: ChainWide = {
      timeoutMs: wide.timeoutMs ?? defaults.timeoutMs,
      firstTokenTimeoutMs: wide.firstTokenTimeoutMs ?? defaults.firstTokenTimeoutMs,
    }
    const entries = defaults.models.slice(position).map((name) => chainEntry(name, under))
    const chain = callerChain(choice, entries, 'key', on === undefined && defaults.on !== undefined ? kindsOf(defaults.on) : advance)
    if (!('unknown' in chain)) return { route: chain, requested: model }
  }

  const route = routeFor(routes, model)
  if (typeof route !== 'string') {
    return { route: own === 'redundancy' ? limitedRoute(route, wide, on) : route, requested: model }
  }
  if (route !== 'model_not_found' || model === undefined || !isNameable(choice, model)) return unusable(route)
  if (!callers.chains) return disabled('model')
  const lone = callerChain(choice, [chainEntry(model, wide)], 'caller', advance)
  return 'unknown' in lone ? unusable(route) : { route: lone, requested: model }

  function unusable(problem: UnusableRoute): ChosenChain {
    const other = { has: (name: string) => choice.embeddings?.has(name) === true, use: 'embeddings: ask POST /embeddings' }
    return { rejection: unusableRoute(problem, routes, model, other) }
  }
}

/** Each name once, as it first stands; `undefined` where there are too many, however many more a body has. */
function distinctEntries(written: readonly EntryWire[], wide: ChainWide): readonly ChainEntry[] | undefined {
  const entries = new Map<string, ChainEntry>()
  for (const each of written) {
    const entry = chainEntry(each, wide)
    if (entries.has(entry.name)) continue
    if (entries.size === MAX_ENTRIES) return undefined
    entries.set(entry.name, entry)
  }
  return [...entries.values()]
}

function refused(code: Rejection['code'], message: string, param: string): ChosenChain {
  return { rejection: { status: 400, code, message, param } }
}

function disabled(param: string): ChosenChain {
  return refused('caller_chains_disabled', `${param}: requests cannot name their own chain here; send a route as model`, param)
}

/** Of what there is, only routes are told: `GET /models` lists them to every caller, and legs to none. */
function unknownEntry(choice: ChainChoice, name: string, param: string): ChosenChain {
  const meant = meantRoute(name, routeNames(choice.routes).filter((route) => isNameable(choice, route)))
  return refused('unknown_model', `${param}: '${cut(name)}' is not one that a caller may name${meant}`, param)
}
