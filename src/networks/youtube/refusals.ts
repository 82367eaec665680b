import type { Clock } from '#kernel/clock.ts'
import { windowAt } from '../connector/budget.ts'
import type { Fault } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import type { Judge, NetworkAnswer } from '../wire/network-call.ts'
import { bucketOf } from './methods.ts'
import { type Meaning, meaningOfStatus, reasons } from './reasons.ts'

/** Reads refusals of the Data API and of the token endpoint; remembers how often it was told to slow down. */
export function openJudge(clock: Clock): Judge {
  let slowDowns = 0
  return (answer, call) => {
    if (answer.status < 400) {
      slowDowns = 0
      return undefined
    }
    const said = wordsOf(answer)
    if (!said) return undefined
    const { reason, domain, status = '', message } = said
    const meaning = reasons.get(reason) ?? reasons.get(status) ?? meaningOfStatus(answer.status)
    if (meaning === 'slowDown' || meaning === 'slowDownActor') slowDowns += 1
    const remote = { code: reason || undefined, subcode: domain }
    const budget = meaning === 'dayIsSpent' ? bucketOf(call.url) : undefined
    return { fault: faultOf(meaning, clock.now(), slowDowns), message, remote, ...(budget && { budget }) }
  }
}

interface Said {
  reason: string
  domain?: string | undefined
  status?: string | undefined
  message: string
}

/** Google's two forms: an object with reasons, and OAuth's error with a description. */
function wordsOf({ body }: NetworkAnswer): Said | undefined {
  const { error, error_description } = (body ?? {}) as { error?: Json; error_description?: string }
  if (typeof error === 'string') return { reason: error, message: plain(error_description ?? error) }
  if (!error || typeof error !== 'object' || Array.isArray(error)) return undefined
  const { message, status, errors } = error as { message?: string; status?: string; errors?: Json[] }
  const [first] = (errors ?? []) as { reason?: string; domain?: string; message?: string }[]
  const words = plain(first?.message || message || 'The request was refused.')
  return { reason: first?.reason ?? status ?? '', domain: first?.domain, status, message: words }
}

function faultOf(meaning: Meaning, now: Date, slowDowns: number): Fault {
  const later = (milliseconds: number) => new Date(now.getTime() + milliseconds)
  switch (meaning) {
    case 'dayIsSpent':
      // Each bucket has its own day: uploads go on when nothing is left to read with.
      return { kind: 'throttled', until: windowAt('pacificDay', now).end, scope: 'endpoint' }
    case 'tooManyUploads':
      return { kind: 'throttled', until: later(24 * 60 * 60_000), scope: 'actor' }
    case 'slowDown':
    case 'slowDownActor': {
      const scope = meaning === 'slowDown' ? 'app' : 'actor'
      return { kind: 'throttled', until: later(Math.min(1000 * 2 ** (slowDowns - 1), longestPause)), scope }
    }
    default:
      return meaning
  }
}

const longestPause = 64_000

/** Messages come with links and code marks in them. */
const plain = (text: string) =>
  text
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
