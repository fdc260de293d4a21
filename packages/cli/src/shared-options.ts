import type { CommandOption } from './command.js'

/** Of every command. */
export const EVERYWHERE: readonly CommandOption[] = [
  { name: 'json', help: 'the result as JSON, errors too' },
  { name: 'help', help: 'this text' },
]

/** Of every command that asks a server. */
export const ASKING: readonly CommandOption[] = [
  { name: 'url', value: '<url>', help: 'where adminMiddleware is mounted; else UNDERSTUDY_ADMIN_URL' },
  {
    name: 'header',
    value: "'<name>: <value>'",
    multiple: true,
    help: 'sent with each request, as often as needed; UNDERSTUDY_ADMIN_TOKEN is sent as a bearer token',
  },
  { name: 'timeout', value: '<time>', help: 'how long an answer may take; default 10s (try: 2m a leg)' },
]

/** Of every command that changes something. */
export const CHANGING: readonly CommandOption[] = [
  { name: 'reason', value: '<text>', help: 'why; stands in the history, in logs and on the page' },
  { name: 'actor', value: '<name>', help: 'who, where the server does not know it; default the user of this machine' },
]

/** Of every command that changes the document. */
export const EXPECTING: readonly CommandOption[] = [
  { name: 'expect', value: '<version>', help: 'change nothing if another version is live (status shows it)' },
]
