import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'
import { type Figures, figuresOf } from './figures.ts'
import type { Place } from './place.ts'
import type { Times } from './steady-calls.ts'

/** How often each kind is begun. */
const everyMs = 2_500
const lookEveryMs = 250

export interface ErrandReport {
  /** From the call to the end of the work, of those that came to a good end. */
  done: Figures
  failures: string[]
}

/** A picture is fetched again and again, and a post goes out; each is looked after until it is through. */
export async function errands(place: Place, pictureUrl: string, { seconds, patienceSeconds }: Times) {
  const patience = patienceSeconds * 1000
  const [uploads, posts] = await Promise.all([
    repeated(seconds, (number) => upload(place, `${pictureUrl}?${number}`, patience)),
    repeated(seconds, (number) => post(place, number, patience)),
  ])
  return { uploads, posts }
}

async function repeated(seconds: number, errand: (number: number) => Promise<void>): Promise<ErrandReport> {
  const times: number[] = []
  const failures: string[] = []
  const one = async (number: number) => {
    await sleep(number * everyMs)
    const begun = performance.now()
    try {
      await errand(number)
      times.push(performance.now() - begun)
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  await Promise.all(Array.from({ length: Math.ceil((seconds * 1000) / everyMs) }, (_, number) => one(number)))
  return { done: figuresOf(times), failures }
}

async function upload({ good: { caller } }: Place, source: string, patience: number) {
  const body = { source, name: 'pixel.png', mimeType: 'image/png' }
  const { Upload } = await answered(caller, patience, 'POST /upload', body)
  await through(patience, async () => (await answered(caller, patience, `GET /upload/${Upload.Id}`)).Upload.Status)
}

async function post({ good }: Place, number: number, patience: number) {
  const { caller, campaignId, credentialId } = good
  const message = `Good news of today ${number} ${Date.now()}`
  const { Message } = await answered(caller, patience, 'POST /message', { network: 'Twitter', campaignId, message })
  const { Post } = await answered(caller, patience, 'POST /post', {
    messageId: Message.Id,
    credentialIds: credentialId,
  })
  await through(patience, async () => (await answered(caller, patience, `GET /post/${Post.Id}`)).Post.Status)
}

async function through(patience: number, status: () => Promise<string>) {
  const begun = performance.now()
  for (;;) {
    const found = await status()
    if (found === 'complete') return
    if (performance.now() - begun > patience) throw new Error(`still ${found} after ${patience / 1000} s`)
    await sleep(lookEveryMs)
  }
}

async function answered(caller: Caller, patience: number, route: string, body?: object) {
  const { status, json, text } = await Promise.race([caller(route, body && { body }), noAnswer(patience)])
  const [method, path = ''] = route.split(' ')
  // Without the id, so that the same failure counts as the same.
  if (status !== 200) throw new Error(`${method} /${path.split('/')[1]}: ${status} ${sentenceIn(text)}`)
  return json
}

const sentenceIn = (text: string) => /"Error":"([^"]*)"/.exec(text)?.[1] ?? ''

async function noAnswer(patience: number): Promise<never> {
  await sleep(patience, undefined, { ref: false })
  throw new Error('no answer')
}
