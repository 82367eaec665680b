import { invalid } from '#kernel/errors.ts'
import type { NetworkName } from '#networks/manifests.ts'
import { readStreamType, streamNetworks, streamsOf, streamTypeOf } from '#networks/stream-types.ts'

/** What a stream asks of its network, beside the profile that asks. */
export interface Question {
  type: string
  /** Empty where the type needs none: whatever was sent then is the same question. */
  keyword: string
}

/** Reads what is asked; refuses what the network does not have, saying what it has. */
export function questionOf(network: NetworkName, writtenType: string, keyword: string): Question {
  const streams = streamsOf(network)
  if (!streams) throw invalid(`${network} has no streams. network must be one of ${streamNetworks.join(', ')}.`)
  const type = readStreamType(streams, writtenType)
  if (type === undefined) throw invalid(`type must be one of ${Object.keys(streams.types).join(', ')} for ${network}.`)
  const asks = streams.types[type]?.asks
  if (!asks) return { type, keyword: '' }
  if (keyword === '') throw invalid(`keyword is missing: a stream of the type ${type} needs ${asks.what}.`)
  if (asks.form && !asks.form.test(keyword))
    throw invalid(`keyword must be ${asks.what} for a stream of the type ${type}.`)
  return { type, keyword }
}

/** What stands above the column. */
export function titleOf(network: NetworkName, { type, keyword }: Question, profile: string): string {
  const title = streamTypeOf(network, type)?.title ?? type
  return `${title} · ${keyword || profile}`
}
