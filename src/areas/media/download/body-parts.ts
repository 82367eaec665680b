import { cutShort, wrongPart } from './download-failed.ts'

type Body = AsyncGenerator<Uint8Array>

/** The bytes of a body that must be this long, no more and no less. */
export async function* exactly(body: Body, bytes: number): Body {
  let seen = 0
  for await (const chunk of body) {
    seen += chunk.length
    if (seen > bytes) throw wrongPart()
    yield chunk
  }
  if (seen < bytes) throw cutShort()
}

export interface BodyParts {
  /** The next bytes, as many as wanted or as there are. */
  next(most: number): Body
  ended(): Promise<boolean>
}

/** Reads a body part by part. */
export function partsOf(body: Body): BodyParts {
  let rest: Uint8Array | undefined
  const look = async () => {
    while (rest === undefined || rest.length === 0) {
      const { done, value } = await body.next()
      if (done) return undefined
      rest = value
    }
    return rest
  }
  return {
    async *next(most) {
      for (let left = most; left > 0; ) {
        const chunk = await look()
        if (chunk === undefined) return
        rest = chunk.subarray(left)
        left -= Math.min(left, chunk.length)
        yield chunk.subarray(0, chunk.length - rest.length)
      }
    },
    ended: async () => (await look()) === undefined,
  }
}
