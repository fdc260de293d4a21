import { changesRoute, entryIn } from '@understudy/config'
import { plainText } from './text-width.js'

type Json = Readonly<Record<string, unknown>>

/** What a document changed of a route, or of all routes: `chat: preset normal -> preset local_only`. */
export function changeWords(document: Json | undefined, previous: Json | undefined, route: string | undefined): string {
  const names = route === undefined ? [...new Set([...routeNames(previous), ...routeNames(document)])] : [route]
  return names
    .filter((name) => route !== undefined || changesRoute({ document, previous }, name))
    .map((name) => {
      const change = `${entryWords(entryIn(previous, name))} -> ${entryWords(entryIn(document, name))}`
      return plainText(route === undefined ? `${name}: ${change}` : change)
    })
    .join('; ')
}

function routeNames(document: Json | undefined): readonly string[] {
  const routes = document?.['routes']
  return isRecord(routes) ? Object.keys(routes) : []
}

function entryWords(entry: Json | undefined): string {
  if (entry === undefined) return 'as in code'
  const { active, chain } = entry
  if (typeof active === 'string') return `preset ${active}`
  return Array.isArray(chain) ? chain.map(legWords).join(', ') : 'something odd'
}

function legWords(leg: unknown): string {
  if (typeof leg === 'string') return leg
  return isRecord(leg) ? `${String(leg['provider'])}/${String(leg['model'])}` : '?'
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
