import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { videoProblemsOn } from '#networks/content/content-check.ts'
import type { VideoFacts } from '#networks/content/media-check.ts'
import type { Network } from '#networks/manifests.ts'
import { get } from '../asset/asset.ts'

/** Checks the file against the limits used for publishing. */
export async function validate(context: Context, { id }: { id: string }) {
  const asset = await get(context, { id })
  if (asset.type !== 'Video')
    throw invalid(`Only videos can be validated; "${asset.name}" is of the type ${asset.type}.`)
  const facts: VideoFacts = {
    mime: asset.mimeType,
    bytes: asset.size,
    seconds: asset.durationMs === null ? undefined : asset.durationMs / 1000,
    width: asset.width ?? undefined,
    height: asset.height ?? undefined,
    framesPerSecond: asset.framesPerSecond ?? undefined,
    videoCodec: asset.videoCodec ?? undefined,
    audioCodec: asset.audioCodec ?? undefined,
  }
  const judge = (network: Network) => {
    const errors = videoProblemsOn(network, facts)
    return { isValid: errors.length === 0, errors }
  }
  return {
    facebook: judge('Facebook'),
    linkedIn: judge('LinkedIn'),
    twitter: judge('Twitter'),
    instagram: judge('Instagram'),
    youtube: judge('YouTube'),
  }
}
