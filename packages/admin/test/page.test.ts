import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { startSimulator } from '@understudy/simulator'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import type { Test } from 'tap'

import { fileSource } from '@understudy/http'
import type { FallbackEvent, FallbackOptions, RoutesInput } from '@understudy/http'

import { chat, mounted, post } from './mounted.js'
import type { Mounted } from './mounted.js'

// The pictures of the README are written only when they are asked for, so that a test run changes no file.
const PICTURES = process.env['UNDERSTUDY_SCREENSHOTS'] === undefined ? undefined : new URL('../docs/', import.meta.url).pathname
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const skip = existsSync(CHROMIUM) ? false : `NOT TESTED: there is no Chromium at ${CHROMIUM}; install it, or set CHROMIUM_PATH`
const WAIT_MS = 10_000

const ROUTES: RoutesInput = {
  chat: {
    presets: {
      normal: ['anthropic/claude-sonnet-4-5', 'openai/gpt-4o-mini', 'groq/llama-3.3-70b-versatile'],
      without_anthropic: ['openai/gpt-4o-mini', 'groq/llama-3.3-70b-versatile'],
      local_only: { legs: ['ollama/llama3.1:8b'], marking: 'degraded' },
    },
  },
  summaries: ['openai/gpt-4o-mini', 'groq/llama-3.3-70b-versatile'],
}

let browser: Browser | undefined
let world: (past: readonly FallbackEvent[], actor?: string, options?: FallbackOptions) => Promise<Mounted> = () => mounted()
if (skip === false) {
  const simulator = await startSimulator({
    script: { models: { 'claude-sonnet-4-5': [{}, { status: 529 }, {}, { status: 529 }, {}] }, fallback: {} },
  })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  const launched = browser
  t.teardown(() => Promise.all([launched.close(), simulator.close()]))
  const baseURL = simulator.url
  const apiKey = 'canary-key'
  const providers = {
    anthropic: { baseURL: new URL(baseURL).origin, apiKey },
    ...Object.fromEntries(['openai', 'groq', 'ollama'].map((name) => [name, { baseURL, apiKey }])),
  }
  world = (past, actor, options) => mounted({ routes: ROUTES, options: { providers, ...options }, past, authorize: () => ({ actor }) })
}

interface Opened extends Mounted {
  readonly page: Page
  /** What the browser complained of: CSP violations, errors on the console, exceptions. */
  readonly complaints: string[]
}

async function opened(t: Test, { width = 1_000, dark = false, past = [] as readonly FallbackEvent[], actor = 'ann', options = {} as FallbackOptions } = {}): Promise<Opened> {
  const made = await world(past, actor === '' ? undefined : actor, options)
  const context = await browser!.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.addInitScript("document.addEventListener('securitypolicyviolation', (event) => console.error('violated ' + event.violatedDirective))")
  // Without the slash, as a person types it.
  await page.goto(made.url)
  await page.getByRole('heading', { name: 'chat' }).waitFor()
  t.teardown(async () => {
    await context.close()
    await made.close()
  })
  return { ...made, page, complaints }
}

const FOCUSED = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent"

/** The news of a change can be there before the answer that closes its dialog. */
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'hidden' })

const card = (page: Page) => page.getByRole('region', { name: 'chat' })

/** Steps on with the Tab key until something is reached. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    if (await page.evaluate(FOCUSED) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} cannot be reached with the Tab key`)
}

t.test('a pin and a revert are made with the keyboard alone, and the focus comes back', { skip }, async (t) => {
  const { page, fallback, complaints } = await opened(t)
  await tabTo(page, 'Pin a preset of chat')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Pin a preset of chat' }).waitFor()
  await page.getByRole('combobox', { name: 'Preset' }).waitFor()
  await page.keyboard.press('l')
  await page.getByText('Runs ollama/llama3.1:8b (unproven)').waitFor()
  await tabTo(page, 'How long')
  await page.keyboard.press('1')
  await tabTo(page, 'Reason')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Say why' }).waitFor()
  await page.keyboard.type('vendor is slow')
  await page.keyboard.press('Enter')
  await card(page).getByText(/^Runs preset local_only, until/).waitFor()
  t.match(fallback.snapshot().routes[0]?.chain, { preset: 'local_only', by: 'ann', reason: 'vendor is slow' })
  await closed(page)
  t.equal(await page.evaluate(FOCUSED), 'Pin a preset of chat')
  await tabTo(page, 'Revert the last change of chat')
  await page.keyboard.press('Space')
  await page.getByRole('dialog', { name: 'Revert chat' }).waitFor()
  t.equal(await page.locator('#change-text').textContent(), 'The change by ann (vendor is slow) is undone. It then runs preset normal: '
    + 'anthropic/claude-sonnet-4-5, then openai/gpt-4o-mini, then groq/llama-3.3-70b-versatile.')
  await page.keyboard.press('Escape')
  await closed(page)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Revert chat' }).waitFor()
  await page.keyboard.type('well again')
  await page.keyboard.press('Enter')
  await card(page).getByText('Runs preset normal', { exact: true }).waitFor()
  t.match(fallback.snapshot(), { live: { version: 2 }, routes: [{ chain: { preset: 'normal', layer: 'code' } }] })
  t.match((await fallback.chains.history()).map(({ actor, reason }) => [actor, reason]), [['ann', 'well again'], ['ann', 'vendor is slow']])
  t.strictSame(complaints, [])
})

t.test('what others change and what fails is there without a reload, and is read out', { skip }, async (t) => {
  const { page, url, fallback, complaints } = await opened(t)
  await page.evaluate("globalThis.mark = 'same page'")
  const evil = '<img src=x onerror="globalThis.mark = 1">'
  await post(`${url}/pin`, { route: 'chat', preset: 'without_anthropic', reason: evil })
  await card(page).getByText(/^Runs preset without_anthropic/).waitFor()
  await page.getByRole('status').filter({ hasText: `chat runs preset without_anthropic, by ann: ${evil}` }).waitFor()
  await post(`${url}/unpin`, { route: 'chat', reason: 'over' })
  for (let count = 0; count < 4; count += 1) await chat(fallback, { text: 'canary-prompt' })
  await card(page).getByText('overloaded (529)').waitFor()
  await card(page).getByText('50 % (2 of 4 in the last hour)').waitFor()
  const picture = card(page).getByRole('img', { name: 'The last hour: 4 requests, 2 failovers, 0 failed, 2 changes' })
  t.equal(await picture.count(), 1, 'the picture says in words what it shows')
  t.equal(await picture.locator('rect.failovers').count(), await picture.locator('rect.runs').count())
  t.equal(await card(page).getByText('never: unproven').count(), 1)
  const { id } = fallback.drills.start({ route: 'chat', fault: 'cut', share: 0.5, forMs: 60_000, maxRequests: 5, actor: 'bob', reason: 'game day' })
  await card(page).getByText(/^Drill by bob: the first leg fails on purpose \(cut\) for 50 % of the requests, 0 of at most 5, for .* more: game day$/).waitFor()
  await page.getByRole('button', { name: 'End the drill on chat' }).click()
  await page.getByLabel('Reason').fill('seen')
  await page.getByRole('dialog').getByRole('button', { name: 'End drill' }).click()
  await page.getByRole('status').filter({ hasText: 'The drill on chat is over' }).waitFor()
  t.match(fallback.drills.list(), [{ id, endCause: 'ended' }])
  t.equal(await page.evaluate('globalThis.mark'), 'same page')
  t.notMatch(await page.content(), /canary/)
  t.strictSame(complaints, [])
})

t.test('the legs are tried, and an earlier version is made live again, with the keyboard alone', { skip }, async (t) => {
  const { page, url, fallback, complaints } = await opened(t)
  await tabTo(page, 'Try each leg of chat')
  await page.keyboard.press('Enter')
  await card(page).getByRole('status').filter({ hasText: '3 of 3 legs answered' }).waitFor()
  const tried = await card(page).getByRole('list', { name: 'What the legs of chat answered' }).getByRole('listitem').allTextContents()
  t.match(tried, [/^anthropic\/claude-sonnet-4-5 answered in \d+\.\d s: ./, /^openai\/gpt-4o-mini answered/, /^groq\//])
  t.equal(await page.evaluate(FOCUSED), 'Try each leg of chat', 'the focus stays')

  await post(`${url}/pin`, { route: 'chat', preset: 'local_only', reason: 'one' })
  await post(`${url}/unpin`, { route: 'chat', reason: 'two' })
  await tabTo(page, 'What happened')
  await page.keyboard.press('Enter')
  await card(page).locator('.happened').getByText('by ann: two').waitFor()
  t.strictSame(await card(page).getByRole('button', { name: /^Make version/ }).allTextContents(), ['Make version 1 live again'], 'the other one is live')
  await tabTo(page, 'Make version 1 live again')
  await chat(fallback)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Make version 1 live again' }).waitFor()
  await page.keyboard.type('one was better')
  await page.keyboard.press('Enter')
  await card(page).getByText(/^Runs preset local_only, until/).waitFor()
  t.match(fallback.snapshot(), { live: { version: 3 } })
  t.match(await card(page).getByRole('button', { name: /^Make version/ }).allTextContents(), ['Make version 2 live again', 'Make version 1 live again'])
  t.strictSame(complaints, [])
})

t.test('what cannot be done is not offered: no change where the source is read only, no revert of what never changed', { skip }, async (t) => {
  const writable = await opened(t)
  t.equal(await writable.page.getByRole('button', { name: 'Pin a preset of chat' }).count(), 1)
  t.equal(await writable.page.getByRole('button', { name: /^Revert/ }).count(), 0)
  await writable.page.getByText(/^No live document yet, from file/).waitFor()
  t.equal(await writable.page.locator('figcaption').first().getByText('trouble').count(), 1, 'the arrow of a breaker is in the legend')
  const path = join(t.testdir({ 'chains.json': JSON.stringify({ version: 4, updated_by: 'bob', reason: 'x', routes: { chat: { active: 'local_only' } } }) }), 'chains.json')
  const { page } = await opened(t, { options: { chains: { source: fileSource(path) } } })
  await page.getByText(/^Version 4, from file, read .*\. It cannot be changed here: the source is read only$/).waitFor()
  await card(page).getByText(/^Runs preset local_only/).waitFor()
  t.equal(await page.getByRole('button', { name: /^(?:Pin|Unpin|Revert)/ }).count(), 0)
  t.equal(await page.getByRole('button', { name: 'Try each leg of chat' }).count(), 1)
})

t.test('nothing inline runs, and a violation would have been seen', { skip }, async (t) => {
  const { page, complaints } = await opened(t)
  t.strictSame(complaints, [])
  await page.evaluate("document.body.append(Object.assign(document.createElement('script'), { textContent: 'globalThis.ran = true' }))")
  await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">styled</p>')")
  t.equal(await page.evaluate('globalThis.ran'), undefined)
  t.match(complaints.join('\n'), /violated script-src-elem[^]*violated style-src-attr/)
})

t.test('a change that somebody else was quicker with is not made, and says so', { skip }, async (t) => {
  const { page, url, fallback } = await opened(t)
  await page.getByRole('button', { name: 'Pin a preset of chat' }).click()
  await post(`${url}/pin`, { route: 'chat', preset: 'local_only', reason: 'quicker' })
  await page.getByLabel('Reason').fill('slower')
  await page.getByRole('dialog').getByRole('button', { name: 'Pin' }).click()
  await page.getByRole('alert').filter({ hasText: 'Not done: somebody else changed the chains meanwhile: version 1 is live' }).waitFor()
  t.equal(fallback.snapshot().routes[0]?.chain.version, 1)
})

t.test('an answer that comes after its news, or after its dialog was left, throws nobody off', { skip }, async (t) => {
  const { page, url } = await opened(t)
  const answers: (() => void)[] = []
  const holdAnswers = (path: string) => page.route(`**/${path}`, async (route) => {
    const response = await route.fetch()
    await new Promise<void>((resolve) => answers.push(resolve))
    await route.fulfill({ response })
  })
  await post(`${url}/pin`, { route: 'chat', preset: 'local_only', reason: 'one' })
  await card(page).getByText(/^Runs preset local_only/).waitFor()
  await holdAnswers('unpin')
  await tabTo(page, 'Unpin chat')
  await page.keyboard.press('Enter')
  await page.getByLabel('Reason').fill('over')
  await page.keyboard.press('Enter')
  await card(page).getByText('Runs preset normal', { exact: true }).waitFor()
  answers.pop()?.()
  await closed(page)
  t.equal(await page.evaluate(FOCUSED), 'Unpin chat', 'the focus comes back to a button that has nothing to do any more')
  await page.keyboard.press('Enter')
  t.equal(await page.getByRole('dialog').count(), 0)

  await page.unroute('**/unpin')
  await holdAnswers('pin')
  await page.getByRole('button', { name: 'Pin a preset of chat' }).click()
  await post(`${url}/pin`, { route: 'chat', preset: 'local_only', reason: 'quicker' })
  await page.getByLabel('Reason').fill('slower')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await card(page).getByText(/^Runs preset local_only/).waitFor()
  await page.getByRole('button', { name: 'Unpin chat' }).click()
  await page.getByLabel('Reason').fill('typed while the other answer comes')
  answers.pop()?.()
  await page.getByRole('status').filter({ hasText: 'Not done: somebody else changed the chains meanwhile' }).waitFor()
  t.equal(await page.locator('#change-error').textContent(), '', 'the dialog that is open was not refused')
  await page.keyboard.press('Enter')
  await card(page).getByText('Runs preset normal', { exact: true }).waitFor()
})

t.test('where the server does not know who it is, the page asks, once', { skip }, async (t) => {
  const { page, fallback } = await opened(t, { actor: '' })
  await page.getByRole('button', { name: 'Pin a preset of chat' }).click()
  t.equal(await page.getByLabel('Who you are').isVisible(), false)
  await page.getByLabel('Reason').fill('vendor is slow')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Say who you are.' }).waitFor()
  t.equal(await page.evaluate('document.activeElement.id'), 'actor')
  await page.keyboard.type('carl')
  await page.keyboard.press('Enter')
  await card(page).getByText(/^By carl, /).waitFor()
  await page.getByRole('button', { name: 'Unpin chat' }).click()
  await page.getByLabel('Reason').fill('over')
  await page.keyboard.press('Enter')
  await card(page).getByText('Runs preset normal', { exact: true }).waitFor()
  t.equal((await fallback.chains.history())[0]?.actor, 'carl')
})

t.test('a page that lost its connection says so, and what it shows stays', { skip }, async (t) => {
  const { page, fallback } = await opened(t)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.route('**/events*', (route) => route.abort())
  await fallback.close()
  await page.getByText(/^Connection lost: what you see may be old/).waitFor()
  t.equal(await card(page).count(), 1)
})

t.test('it is read at the width of a phone without scrolling sideways, light and dark, and every button can be hit', { skip }, async (t) => {
  const grounds: unknown[] = []
  for (const dark of [false, true]) {
    const { page, url, fallback } = await opened(t, { width: 360, dark })
    for (let count = 0; count < 3; count += 1) await chat(fallback)
    await post(`${url}/pin`, { route: 'chat', preset: 'local_only', reason: `a_reason_without_a_space_${'x'.repeat(200)}` })
    await card(page).getByText(/^Runs preset local_only/).waitFor()
    const width = 'document.documentElement.scrollWidth'
    t.equal(await page.evaluate(width), 360)
    const low = await page.evaluate("[...document.querySelectorAll('button')].filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 44).length")
    t.equal(low, 0)
    await page.getByRole('button', { name: 'Pin a preset of chat' }).click()
    const { width: wide = 0, x = 0 } = await page.getByRole('dialog').boundingBox() ?? {}
    t.ok(x >= 0 && x + wide <= 360, 'the dialog fits')
    t.equal(await page.evaluate(width), 360)
    grounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
    t.ok(await page.evaluate(CONTRAST) as number >= 4.5, 'text stands out from its ground')
  }
  t.equal(new Set(grounds).size, 2)
})

/** The lowest contrast of any text with its ground, as WCAG reckons it. */
const CONTRAST = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor
      if (colour !== 'rgba(0, 0, 0, 0)') return colour
    }
    return 'rgb(255, 255, 255)'
  }
  return Math.min(...[...document.querySelectorAll('main *, header *, dialog *')].filter((each) =>
    each.checkVisibility() && !each.closest('svg') && [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')).map((each) => {
    const [one, other] = [light(getComputedStyle(each).color), light(ground(each))].sort((a, b) => b - a)
    return (one + 0.05) / (other + 0.05)
  }))
})()`

/** An hour of traffic with an outage in its middle, for the pictures. */
function anHour(): readonly FallbackEvent[] {
  const now = Date.now()
  const leg = { provider: 'openai', model: 'gpt-4o-mini' }
  const breaker = { provider: 'anthropic', at: 0, failures: 5 } as const
  return Array.from({ length: 58 }, (_, index) => index).flatMap((minute) => {
    const at = now - (58 - minute) * 60_000
    const run = { requestId: 'one', route: 'chat', at }
    const isOut = minute > 20 && minute < 34
    const runs = 12 + Math.round(6 * Math.sin(minute / 7))
    return [
      ...Array.from({ length: runs }, (): FallbackEvent => ({ type: 'run-end', ...run, lane: 'standard', ...(isOut && minute < 23 ? {} : leg), latencyMs: 900 })),
      ...Array.from({ length: runs }, (): FallbackEvent => ({ type: 'attempt-start', ...run, ...leg, attempt: 1 })),
      ...Array.from({ length: isOut ? 8 : 0 }, (): FallbackEvent => ({
        type: 'failover', ...run, from: 'anthropic/claude-sonnet-4-5', to: 'openai/gpt-4o-mini', reason: 'overloaded', latencyMs: 300,
      })),
      ...(minute === 22 ? [{ type: 'breaker-open', ...breaker, at, state: 'open', openUntil: at + 30_000 } satisfies FallbackEvent] : []),
      ...(minute === 35 ? [{ type: 'breaker-closed', ...breaker, at, state: 'closed' } satisfies FallbackEvent] : []),
    ]
  })
}

t.test('its pictures for the README', { skip: skip || (PICTURES === undefined ? 'only with UNDERSTUDY_SCREENSHOTS=1' : false) }, async (t) => {
  for (const [name, size] of [['page', { width: 1_000 }], ['page-phone-dark', { width: 360, dark: true }]] as const) {
    const { page, url, fallback } = await opened(t, { ...size, past: anHour() })
    for (let count = 0; count < 9; count += 1) await chat(fallback)
    await post(`${url}/pin`, { route: 'chat', preset: 'without_anthropic', for_ms: 3_600_000, reason: 'status page says 40 minutes' })
    fallback.drills.start({ route: 'summaries', fault: 'cut', share: 0.1, forMs: 600_000, maxRequests: 20, actor: 'bob', reason: 'game day' })
    for (let count = 0; count < 2; count += 1) await chat(fallback)
    await page.getByText(/^Drill by bob/).waitFor()
    await card(page).locator('.leg').first().getByText(/^just now|ago$/).waitFor()
    await card(page).getByText(/^Runs preset without_anthropic/).waitFor()
    await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage: true })
    if (name !== 'page') continue
    await page.getByRole('button', { name: 'Pin a preset of chat' }).click()
    await page.getByLabel('Reason').fill('answers are visibly worse')
    await page.getByRole('dialog').screenshot({ path: `${PICTURES}pin.png` })
  }
})
