import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { OutboundFailureKind } from '#kernel/outbound/failure.ts'
import type { ProfileKind } from '#networks/connector/manifest.ts'
import type { Json } from '#networks/http/json.ts'
import { isConnected, type Network } from '#networks/manifests.ts'
import { type Check, checks } from './plan.ts'
import type { StepResult } from './steps.ts'

const json = z.custom<Json>((value) => value !== undefined)
const texts = z.record(z.string(), z.string())

/** Identifies binary content, which is not stored. */
const bytes = z.strictObject({ sha256: z.string(), length: z.int() })

/** The body of a request. */
const sent = z.discriminatedUnion('form', [
  z.strictObject({ form: z.literal('nothing') }),
  z.strictObject({ form: z.literal('json'), value: json }),
  z.strictObject({ form: z.literal('fields'), value: z.record(z.string(), z.union([z.string(), bytes])) }),
  z.strictObject({ form: z.literal('bytes'), value: bytes }),
])

const answer = z.union([
  z.strictObject({ status: z.int(), headers: texts, json }),
  z.strictObject({ status: z.int(), headers: texts, text: z.string() }),
  z.strictObject({ failure: z.custom<OutboundFailureKind>(isText), sent: z.boolean(), message: z.string() }),
])

/** One call without secrets. */
const exchange = z.strictObject({
  step: z.string(),
  /** Milliseconds since the start of the run. */
  at: z.number(),
  ms: z.number(),
  method: z.string(),
  /** Role of the host, as named in the network's manifest. */
  role: z.string(),
  /** Path below the role's base URL, decoded. */
  path: z.string(),
  query: texts,
  headers: texts,
  sent,
  answer,
})

const mediaFile = z.object({
  mime: z.string(),
  bytes: z.int(),
  name: z.string(),
  width: z.number().optional(),
  height: z.number().optional(),
  durationMs: z.number().optional(),
})

const result = z.object({
  name: z.string(),
  outcome: z.enum(['done', 'failed', 'unclear', 'skipped']),
  detail: z.string(),
  remoteId: z.string().optional(),
  remoteUrl: z.string().optional(),
  fault: z.string().optional(),
  ms: z.number(),
}) satisfies z.ZodType<StepResult>

/** A run of the live check without secrets, which can be shared, replayed and compared. */
const recording = z.object({
  format: z.literal('chorus-live-recording-1'),
  network: z.custom<Network>((value) => isText(value) && isConnected(value), 'must be a network that Chorus connects'),
  startedAt: z.iso.datetime(),
  apiVersion: z.string(),
  /** App options that describe its access; keys are omitted. */
  options: texts,
  scopes: z.array(z.string()).optional(),
  /** Origin of the token: a login, or an access or refresh token given by the user. */
  start: z.enum(['login', 'token', 'refresh']),
  redirectUri: z.url(),
  profile: z.object({
    kind: z.custom<ProfileKind>(isText),
    remoteId: z.string(),
    username: z.string(),
    tier: z.string().optional(),
    scopes: z.array(z.string()),
  }),
  mark: z.string(),
  link: z.url(),
  mediaUrl: z.url(),
  media: z.object({ image: mediaFile, secondImage: mediaFile, video: mediaFile, document: mediaFile }),
  checks: z.array(z.enum(checks as [Check, ...Check[]])),
  results: z.array(result),
  exchanges: z.array(exchange),
})

export type Recording = z.infer<typeof recording>
export type Exchange = z.infer<typeof exchange>
export type RecordedBody = z.infer<typeof sent>
export type RecordedResponse = z.infer<typeof answer>
export type Bytes = z.infer<typeof bytes>
export type MediaFacts = z.infer<typeof mediaFile>

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export const isBytes = (value: unknown): value is Bytes =>
  typeof value === 'object' && value !== null && 'sha256' in value && 'length' in value

/** Reads and validates a recording; throws with the first problem. */
export async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Error(`${path} cannot be read: ${error.message}`)
  })
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Error(`${path} is not JSON. Give the recording.json of a live check.`)
  }
  const { data, error } = recording.safeParse(content)
  if (data) return data
  const [issue] = error.issues
  throw new Error(`${path} is not a recording of a live check: ${issue?.path.join('.') || 'file'}: ${issue?.message}`)
}
