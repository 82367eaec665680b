import type { OutboundHead } from '#kernel/outbound/outbound.ts'
import { readContentRange, readLength, readUnsatisfied } from './content-range.ts'
import { DownloadFailed, refusedWith, TryFailed, tooLarge, wrongPart } from './download-failed.ts'
import { readRetryAfter } from './retry.ts'
import { type Run, StartOver } from './run.ts'
import { type SourceHead, validatorsOf } from './source-head.ts'

/** What an answer is good for. */
export type Verdict =
  | { kind: 'part'; bytes: number; head: SourceHead }
  /** Its size as this answer says it. */
  | { kind: 'whole'; announced: number | undefined; head: SourceHead }

/** Decides what to do with an answer; throws when it cannot be used. */
export function judge(run: Run, answer: OutboundHead, ranged: boolean): Verdict {
  if (answer.status === 206 && ranged) return judgePart(run, answer)
  if (answer.status === 200) return run.at === 0 ? judgeWhole(run, answer, ranged) : refuseWhole(run, answer)
  if (answer.status === 416) return refuseEnd(run, answer)
  throw refusedWith(answer.status, readRetryAfter(answer.headers['retry-after'], run.installation.clock.now()))
}

function judgePart({ at, head, rules }: Run, { headers }: OutboundHead): Verdict {
  const range = readContentRange(headers)
  if (range === undefined) throw wrongPart()
  const seen = { ...head, ...validatorsOf(headers), totalSize: range.total, acceptsRanges: true }
  // Before the first part nothing is certain: a server may say one thing to HEAD and another to GET.
  if (at > 0 && differs(head, seen)) throw changed(seen)
  if (range.first !== at || range.last !== Math.min(at + rules.chunkBytes, range.total) - 1) throw wrongPart()
  if (range.total > rules.maximumBytes) throw tooLarge(rules.maximumBytes)
  const bytes = range.last - range.first + 1
  if ((readLength(headers) ?? bytes) !== bytes) throw wrongPart()
  return { kind: 'part', bytes, head: at > 0 ? head : seen }
}

function judgeWhole({ head }: Run, { headers }: OutboundHead, ranged: boolean): Verdict {
  const announced = readLength(headers)
  if (announced === 0) throw new TryFailed('The file is empty.', { permanent: true })
  const saysSo = ranged ? headers['accept-ranges']?.toLowerCase() === 'bytes' : head.acceptsRanges
  // Without its size nobody could tell whether the rest belongs to the same file.
  const acceptsRanges = saysSo && announced !== undefined
  const totalSize = announced ?? head.totalSize
  return { kind: 'whole', announced, head: { ...head, ...validatorsOf(headers), totalSize, acceptsRanges } }
}

/** The whole file where a part was asked for: it has changed, or the server has forgotten what a part is. */
function refuseWhole({ head }: Run, { headers }: OutboundHead): never {
  const seen = { ...head, ...validatorsOf(headers), totalSize: readLength(headers) ?? head.totalSize }
  if (differs(head, seen)) throw changed(seen)
  const sentence = 'The server sends the whole file where it was asked for a part of it.'
  throw new TryFailed(sentence, { permanent: true, resort: new StartOver(sentence, { ...head, acceptsRanges: false }) })
}

function refuseEnd({ at, head }: Run, { headers }: OutboundHead): never {
  const totalSize = readUnsatisfied(headers) ?? head.totalSize
  if (totalSize === 0) throw new DownloadFailed('The file is empty.', true)
  if (at > 0 && totalSize !== head.totalSize) throw changed({ ...head, ...validatorsOf(headers), totalSize })
  throw wrongPart()
}

/** What an answer leaves out it does not contradict; what is new in it belongs to a version nobody has seen. */
function differs(known: SourceHead, seen: SourceHead): boolean {
  const contradicts = (one: string | undefined, other: string | undefined) => other !== undefined && one !== other
  if (contradicts(known.etag, seen.etag) || contradicts(known.lastModified, seen.lastModified)) return true
  return known.totalSize !== seen.totalSize
}

const changed = (seen: SourceHead) => new StartOver('The file changed on the server while it was fetched.', seen)
