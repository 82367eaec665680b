import { fetch } from 'undici'
import { manifests } from '../manifests.ts'
import { second } from '../state/clock.ts'
import type { Network } from '../state/rows.ts'

/** One webhook request; signed when sent, because some signatures include the time. */
export interface PushMessage {
  network: Network
  profile: string
  url: string
  body: string
  type: string
  sign(body: string): Record<string, string>
}

export const pushBehaviours = ['normal', 'silent', 'twice', 'forged'] as const
export type PushBehaviour = (typeof pushBehaviours)[number]

interface Delivery {
  message: PushMessage
  attempts: { at: number; status?: number; error?: string }[]
  dueAt: number
  delivered: boolean
}

/** Webhook deliveries with the network's retries. */
export class Push {
  private deliveries: Delivery[] = []
  private readonly behaviours = new Map<Network, PushBehaviour>()
  private timer: NodeJS.Timeout | undefined

  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  send(message: PushMessage) {
    const behaviour = this.behaviours.get(message.network) ?? 'normal'
    if (behaviour === 'silent') return
    const sent = behaviour === 'forged' ? { ...message, sign: () => message.sign(`${message.body} forged`) } : message
    const copies = behaviour === 'twice' ? [sent, sent] : [sent]
    for (const copy of copies)
      this.deliveries.push({ message: copy, attempts: [], dueAt: this.now(), delivered: false })
    this.deliverDue()
  }

  setBehaviour(network: Network, behaviour: PushBehaviour) {
    this.behaviours.set(network, behaviour)
  }

  list() {
    return this.deliveries.map(({ message: { network, profile, url, body }, attempts, delivered }) => {
      return { network, profile, url, body, attempts, delivered }
    })
  }

  /** Starts due deliveries; called on send, when the clock moves, and by a timer while retries are pending. */
  deliverDue() {
    for (const delivery of this.deliveries) {
      if (delivery.delivered || delivery.dueAt > this.now()) continue
      delivery.dueAt = Number.POSITIVE_INFINITY
      void attemptDelivery(delivery, this.now)
    }
    const waiting = this.deliveries.some(({ delivered, dueAt }) => !delivered && Number.isFinite(dueAt))
    if (waiting) this.timer ??= setInterval(() => this.deliverDue(), 250).unref()
    else this.stop()
  }

  clear() {
    this.deliveries = []
    this.behaviours.clear()
    this.stop()
  }

  private stop() {
    clearInterval(this.timer)
    this.timer = undefined
  }
}

async function attemptDelivery(delivery: Delivery, now: () => number) {
  const { message, attempts } = delivery
  const pause = manifests[message.network].pushRetryDelays[attempts.length]
  try {
    const { status } = await fetch(message.url, {
      method: 'POST',
      headers: { 'content-type': message.type, ...message.sign(message.body) },
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(10 * second),
    })
    attempts.push({ at: now(), status })
    delivery.delivered = status >= 200 && status < 300
  } catch (error) {
    attempts.push({ at: now(), error: String(error) })
  }
  if (!delivery.delivered && pause !== undefined) delivery.dueAt = now() + pause
}
