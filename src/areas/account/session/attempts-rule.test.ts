import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../../tests/support/caller.ts'
import { deep, randomness } from '../../../../tests/support/randomness.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { networkOf } from './attempts.ts'
import { signIn } from './session.fixture.ts'

/**
 * Random sign-in sequences try to bypass the rule in docs/sessions.md, 1,000 of them with TEST_DEPTH=full; a model of the rule checks every
 * response.
 */

let time = Date.now()
let service: TestService
beforeAll(async () => {
  const environment = { CHORUS_ROLES: 'api', CHORUS_TRUSTED_PROXIES: '127.0.0.1' }
  service = await startTestService({ clock: { now: () => new Date(time) }, environment })
  for (const user of users) {
    const { firstName, lastName, email, password } = user
    const { status, json, text } = await adminOf(user)('POST /user', {
      body: { firstName, lastName, email, password, role: 'read' },
    })
    expect(status, text).toBe(200)
    user.id = json.User.Id
  }
})
afterAll(() => service.stop())

interface Person {
  id: string
  account: string
  firstName: string
  lastName: string
  email: string
  password: string
}

const person = (account: string, email: string, password: string): Person => ({
  id: '',
  account,
  firstName: 'Kim',
  lastName: 'Idle',
  email,
  password,
})
/** One email address in two accounts with different passwords, one with the same password, and one in a single account. */
const users = [
  person(demoAccount, 'kim.idle@example.com', 'the right one for this'),
  person(otherAccount, 'kim.idle@example.com', 'the right one for that'),
  person(demoAccount, 'kiki@example.com', 'the same one for both'),
  person(otherAccount, 'kiki@example.com', 'the same one for both'),
  person(demoAccount, 'nik@example.com', 'the only one there is'),
]
const adminOf = ({ account }: Person): Caller => (account === demoAccount ? service.admin : service.otherAdmin)

const minute = 60_000
const [free, quiet, longestWait] = [10, 15 * minute, 15 * minute]

/** Consecutive guesses, and the time of the last one that was checked. */
interface Chain {
  guesses: number
  last: number
}

const isForgotten = ({ last }: Chain) => time - last > quiet
const isFree = (chain: Chain) =>
  chain.guesses < free ||
  isForgotten(chain) ||
  time - chain.last >= Math.min(2 ** (chain.guesses - free) * 1000, longestWait)

function openModel() {
  const chains = new Map<string, Chain>()
  const known = new Set<string>()
  const violations: string[] = []
  const networkSubjectOf = (user: Person, network: string) => `${user.id} ${network}`
  const isKnown = (user: Person, network: string) => known.has(networkSubjectOf(user, network))
  const chainOf = (user: Person, network: string): Chain => {
    const key = isKnown(user, network) ? networkSubjectOf(user, network) : user.id
    const chain = chains.get(key) ?? { guesses: 0, last: 0 }
    chains.set(key, chain)
    return chain
  }
  const judged = (user: Person, network: string, isGuess: boolean) => {
    const chain = chainOf(user, network)
    if (!isFree(chain)) violations.push(`${user.email} in ${user.account} after ${chain.guesses} guesses`)
    chain.guesses = (isForgotten(chain) ? 0 : chain.guesses) + Number(isGuess)
    chain.last = time
  }
  return {
    violations,
    isKnown,
    isWelcome: (user: Person, network: string) => isKnown(user, network) && isFree(chainOf(user, network)),
    /** Records what a response reveals about each targeted user; if it reveals nothing, nothing is counted. */
    note(targets: readonly Person[], network: string, fitting: readonly Person[]) {
      const isMixed = targets.some((user) => isKnown(user, network))
      for (const user of targets) {
        if (fitting.includes(user)) judged(user, network, false)
        else if (isKnown(user, network) ? isFree(chainOf(user, network)) : !isMixed) judged(user, network, true)
      }
    },
    entered(user: Person, network: string) {
      known.add(networkSubjectOf(user, network))
      chains.set(networkSubjectOf(user, network), { guesses: 0, last: time })
    },
  }
}

const fullWidth = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
const spellings: ((email: string) => string)[] = [
  (email) => email,
  (email) => email.toUpperCase(),
  (email) => email.replace('i', '\u0130'),
  (email) => email.replaceAll('i', '\u0130').replace('k', '\u212a'),
  (email) => fullWidth(email.slice(0, 2)) + email.slice(2),
  (email) => email.replace('@', '\uff20').replace('.com', '\uff0ecom'),
]
const addresses = ['198.51.100.1', '198.51.100.2', '203.0.113.7', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2']
const steps = [0, 0, 0, 500, 1_000, 3_000, 8_000, 70_000, 5 * minute, 14 * minute, 16 * minute]

test(
  'random sequences allow no more guesses than the rule, and lock nobody out of a known network',
  async () => {
    const random = randomness(37)
    const any = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
    const model = openModel()
    const answers: Record<number, number> = {}
    const keptOut: string[] = []
    let guessed = 0

    async function attempt(user: Person, password: string, address: string, account?: string) {
      const network = networkOf(address)
      const targets = users.filter(({ email, account: its }) => email === user.email && (!account || account === its))
      const isWelcome = targets.some((one) => one.password === password && model.isWelcome(one, network))
      const email = any(spellings)(user.email)
      const { status, json } = await signIn(service.url, { email, password, ...(account && { account }) }, address)
      answers[status] = (answers[status] ?? 0) + 1
      if (isWelcome && status !== 200) keptOut.push(`${email} at ${address}`)
      if (status === 429) return
      const fitting = targets.filter(({ id, account: its }) =>
        status === 200 ? id === json.UserId || json.Accounts.some(({ Id }: { Id: string }) => Id === its) : false,
      )
      expect(fitting.every((one) => one.password === password)).toBe(true)
      if (fitting.length < targets.length) guessed += 1
      model.note(targets, network, fitting)
      const entered = fitting.find(({ id }) => id === json.UserId)
      if (entered) model.entered(entered, network)
    }

    /** The owner of one user of an email address tests a password for the other user by setting it on their own first. */
    async function attemptFromVariant(victim: Person, address: string, isRight: boolean) {
      const own = users.find(({ email, account }) => email === victim.email && account !== victim.account)
      if (!own) return
      const { password } = own
      own.password = isRight ? victim.password : `a guess ${random()}`
      const change = () => adminOf(own)(`POST /user/${own.id}`, { body: { password: own.password } })
      expect((await change()).status).toBe(200)
      await attempt(victim, own.password, address)
      own.password = password
      await change()
    }

    for (let sequence = 0; sequence < deep(30, 1_000); sequence++) {
      const victim = any(users)
      const address = any(addresses)
      for (let step = 0; step < 6; step++) {
        const from = random() < 0.5 ? address : any(addresses)
        const account = random() < 0.4 ? victim.account : undefined
        const kind = random()
        if (kind < 0.5)
          for (let guess = Math.floor(random() * 12); guess >= 0; guess--)
            await attempt(victim, `a guess ${random()}`, random() < 0.7 ? from : any(addresses), account)
        else if (kind < 0.9)
          await attempt(
            random() < 0.7 ? victim : any(users),
            any([victim.password, any(users).password]),
            from,
            account,
          )
        else await attemptFromVariant(victim, from, random() < 0.5)
        time += any(steps)
      }
      if (random() < 0.3) time += 16 * minute
    }
    expect({ violations: model.violations, keptOut }).toEqual({ violations: [], keptOut: [] })
    // Ensures that the sequences reach the limits and exceed them.
    expect(guessed).toBeGreaterThan(deep(120, 4_000))
    expect(Object.keys(answers).sort()).toEqual(['200', '401', '429'])
  },
  deep(600_000, 3_600_000),
)
