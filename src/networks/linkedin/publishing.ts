import type { Actor } from '../connector/actor.ts'
import { profileRules } from '../connector/connector.ts'
import type { Checkpoint, Draft, Progress, Receipt, Step } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import { ask, type Calls } from './calls.ts'
import { postUrl, textsAt, urnOf } from './fields.ts'
import { commentaryOf } from './little-text.ts'
import { manifest } from './manifest.ts'
import { contentOf, kindOf, stillProcessing, targetOf, unfinished } from './processing.ts'
import { notReadyCodes } from './refusals.ts'
import { streamed, uploadFile, uploadThumbnail, uploadVideo } from './uploads.ts'

export async function publish(
  calls: Calls,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  refuseUnfitPost('LinkedIn', draft, profileRules(manifest, calls.app, actor))
  const assets = await upload(calls, actor, draft, save, progress)
  const waiting = await unfinished(calls, actor, assets, progress)
  if (waiting) return waiting
  await save({ stage: 'committing', assets })
  try {
    return { state: 'done', ...(await commit(calls, actor, draft, assets)) }
  } catch (error) {
    const early = error instanceof NetworkError && notReadyCodes.includes(error.remote.code ?? '')
    if (early) return stillProcessing(assets, progress?.waited === true)
    throw error
  }
}

/** The URNs of all that goes with the post, in its order. */
async function upload(
  calls: Calls,
  actor: Actor,
  { media, link }: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<string[]> {
  const assets = textsAt(progress, 'assets')
  if (progress?.stage === 'processing') return assets
  if (link?.imageUrl && !assets.length && progress?.withoutPicture !== true) {
    const picture = await uploadThumbnail(calls, actor, link.imageUrl)
    if (picture) assets.push(picture)
    await save({ stage: 'uploading', assets, ...(!picture && { withoutPicture: true }) })
  }
  for (const one of media.slice(assets.length)) {
    const kind = kindOf(one)
    const urn =
      kind === 'video'
        ? await uploadVideo(calls, actor, one, (video) => save({ stage: 'uploading', assets, video }), progress?.video)
        : await uploadFile(calls, actor, kind, streamed(one))
    assets.push(urn)
    await save({ stage: 'uploading', assets: [...assets] })
  }
  return assets
}

/** The one call that makes the post visible. */
async function commit(calls: Calls, actor: Actor, draft: Draft, assets: readonly string[]): Promise<Receipt> {
  const { text, audience, reshareOf } = draft
  const target = audience && targetOf(audience)
  const content = contentOf(draft, assets)
  const { headers } = await ask(calls, actor, {
    method: 'POST',
    path: '/rest/posts',
    irreversible: true,
    json: {
      author: urnOf(actor),
      commentary: commentaryOf(text),
      visibility: 'PUBLIC',
      distribution: {
        feedDistribution: 'MAIN_FEED',
        targetEntities: target ? [target] : [],
        thirdPartyDistributionChannels: [],
      },
      lifecycleState: 'PUBLISHED',
      isReshareDisabledByAuthor: false,
      ...(content && { content }),
      ...(reshareOf !== undefined && { reshareContext: { parent: reshareOf } }),
    },
  })
  const remoteId = headers['x-restli-id']?.replaceAll('%3A', ':')
  if (!remoteId) {
    throw new NetworkError('LinkedIn', { kind: 'unknownOutcome' }, 'LinkedIn: the answer does not name the new post.')
  }
  return { remoteId, remoteUrl: postUrl(calls.app, remoteId), at: calls.installation.clock.now() }
}
