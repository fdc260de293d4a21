import t from 'tap'
import { keepFresh } from '../src/keep-fresh.js'

interface Key {
  readonly name: string
  readonly expiresAt?: number
}

/** A keeper, and a load that ends when it is told to. */
function keeper() {
  const loads: { resolve(key: Key): void; reject(error: Error): void }[] = []
  const at = { now: 0 }
  const ask = keepFresh(
    () => new Promise<Key>((resolve, reject) => loads.push({ resolve, reject })),
    { expiresAt: ({ expiresAt }) => expiresAt, now: () => at.now },
  )
  return { loads, at, ask }
}

const HOUR = 3_600_000

t.test('a credential is kept until five minutes before it expires, or half its life if that is shorter', async (t) => {
  for (const [life, kept] of [[HOUR, HOUR - 300_000], [60_000, 30_000]] as const) {
    const { loads, at, ask } = keeper()
    const first = ask()
    loads[0]?.resolve({ name: 'a', expiresAt: life })
    t.equal((await first).name, 'a')
    at.now = kept - 1
    t.equal((await ask()).name, 'a')
    t.equal(loads.length, 1)
    at.now = kept
    const second = ask()
    loads[1]?.resolve({ name: 'b', expiresAt: kept + HOUR })
    t.equal((await second).name, 'b')
    t.equal((await ask()).name, 'b')
    t.equal(loads.length, 2)
  }
})

t.test('however many ask, one refresh is in flight', async (t) => {
  const { loads, ask } = keeper()
  const all = [ask(), ask(), ask()]
  t.equal(loads.length, 1)
  loads[0]?.resolve({ name: 'a', expiresAt: HOUR })
  t.strictSame((await Promise.all(all)).map(({ name }) => name), ['a', 'a', 'a'])
})

t.test('a credential that does not say when it expires is asked for each time', async (t) => {
  for (const expiresAt of [undefined, NaN]) {
    const { loads, ask } = keeper()
    for (const name of ['a', 'b']) {
      const asked = ask()
      loads.at(-1)?.resolve({ name, ...(expiresAt === undefined ? undefined : { expiresAt }) })
      t.equal((await asked).name, name)
    }
  }
})

t.test('a credential that has expired already is a refresh that fails', async (t) => {
  const { loads, at, ask } = keeper()
  const first = ask()
  loads[0]?.resolve({ name: 'a', expiresAt: 0 })
  await t.rejects(first, { message: 'the credential has expired already' })
  const second = ask()
  loads[1]?.resolve({ name: 'b', expiresAt: HOUR })
  t.equal((await second).name, 'b')
  at.now = HOUR - 1
  const third = ask()
  loads[2]?.resolve({ name: 'c', expiresAt: HOUR - 1 })
  t.equal((await third).name, 'b', 'which still holds')
})

t.test('a refresh that fails leaves what still holds, and is tried again by the next one', async (t) => {
  const { loads, at, ask } = keeper()
  const first = ask()
  loads[0]?.resolve({ name: 'a', expiresAt: HOUR })
  await first
  at.now = HOUR - 1
  const early = ask()
  loads[1]?.reject(new Error('no'))
  t.equal((await early).name, 'a', 'it holds for a millisecond more')
  at.now = HOUR
  const late = ask()
  loads[2]?.reject(new Error('no more'))
  await t.rejects(late, { message: 'no more' })
  const again = ask()
  loads[3]?.resolve({ name: 'b', expiresAt: 2 * HOUR })
  t.equal((await again).name, 'b')
})

t.test('a refresh that never ends is waited for by nobody who comes a minute later', async (t) => {
  const { loads, at, ask } = keeper()
  const never = ask()
  at.now = 59_999
  const also = ask()
  t.equal(loads.length, 1)
  at.now = 60_000
  const next = ask()
  t.equal(loads.length, 2)
  loads[1]?.resolve({ name: 'b', expiresAt: HOUR })
  t.equal((await next).name, 'b')
  loads[0]?.reject(new Error('late'))
  await t.rejects(never)
  await t.rejects(also)
  t.equal((await ask()).name, 'b', 'what fails late takes nothing away')
})

t.test('a load that throws at once is a failure of that one', async (t) => {
  let calls = 0
  const ask = keepFresh(
    () => {
      calls += 1
      if (calls === 1) throw new Error('no')
      return 'key'
    },
    { expiresAt: () => undefined, now: () => 0 },
  )
  await t.rejects(ask(), { message: 'no' })
  t.equal(await ask(), 'key')
})
