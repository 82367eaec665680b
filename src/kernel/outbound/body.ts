import type { OpenAnswer } from './exchange.ts'
import { failureOf, OutboundFailure } from './failure.ts'
import type { Pace } from './pace.ts'

/** Passes a body on as it comes, as long as it is not larger than allowed; what counts is the bytes that arrive. */
export async function* readAll({ body, url }: OpenAnswer, maximum: number, pace: Pace): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > maximum) throw tooLarge(url, maximum)
      pace.count(chunk.length)
      pace.pause()
      yield chunk
      pace.resume()
    }
  } catch (error) {
    throw failureOf(error, url.host)
  }
}

/** Throws when the headers already tell that the body cannot be taken. */
export function refuseBody(answer: OpenAnswer, method: string, maximum: number): void {
  try {
    judgeHead(answer, method, maximum)
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

function judgeHead({ headers, url, status }: OpenAnswer, method: string, maximum: number): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new OutboundFailure('protocol', `${url.host} sends the file compressed although it was asked not to.`)
  }
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  if (hasBody && Number(headers['content-length'] ?? 0) > maximum) throw tooLarge(url, maximum)
}

const tooLarge = (url: URL, maximum: number) =>
  new OutboundFailure('too-large', `${url.host} sends more than ${maximum} bytes.`)
