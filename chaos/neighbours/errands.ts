import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'
import { type Figures, figuresOf } from './figures.ts'
import type { Place } from './place.ts'

/** How often each kind is begun. */
const everyMs = 2_500
const lookEveryMs = 250
/** How long anybody would wait before asking what is wrong. */
const patienceMs = 30_000

export interface ErrandReport {
  /** From the call to the end of the work, of those that came to a good end. */
  done: Figures
  failures: string[]
}

/** A picture is fetched again and again, and a post goes out; each is looked after until it is through. */
export async function errands(place: Place, pictureUrl: string, seconds: number) {
  const [uploads, posts] = await Promise.all([
    repeated(seconds, (number) => upload(place, `${pictureUrl}?${number}`)),
    repeated(seconds, (number) => post(place, number)),
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

async function upload({ good: { caller } }: Place, source: string) {
  const body = { source, name: 'pixel.png', mimeType: 'image/png' }
  const { Upload } = await answered(caller, 'POST /upload', body)
  await through(async () => (await answered(caller, `GET /upload/${Upload.Id}`)).Upload.Status, 'complete')
}

async function post({ good }: Place, number: number) {
  const { caller, campaignId, credentialId } = good
  const message = `Good news of today ${number} ${Date.now()}`
  const { Message } = await answered(caller, 'POST /message', { network: 'Twitter', campaignId, message })
  const { Post } = await answered(caller, 'POST /post', { messageId: Message.Id, credentialIds: credentialId })
  await through(async () => (await answered(caller, `GET /post/${Post.Id}`)).Post.Status, 'complete')
}

async function through(status: () => Promise<string>, wanted: string) {
  const begun = performance.now()
  for (;;) {
    const found = await status()
    if (found === wanted) return
    if (performance.now() - begun > patienceMs) throw new Error(`still ${found} after ${patienceMs / 1000} s`)
    await sleep(lookEveryMs)
  }
}

async function answered(caller: Caller, route: string, body?: object) {
  const [method] = route.split(' ')
  const { status, json, text } = await Promise.race([caller(route, body && { body }), noAnswer()])
  if (status !== 200) throw new Error(`${method}: ${status} ${text.slice(0, 200)}`)
  return json
}

async function noAnswer(): Promise<never> {
  await sleep(patienceMs, undefined, { ref: false })
  throw new Error('no answer')
}
