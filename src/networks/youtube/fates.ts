import { NetworkError } from '../connector/fault.ts'
import type { Video } from './shapes.ts'

/** What YouTube made of an uploaded video, when that is nothing. */
export function faultOfVideo({ status = {} }: Video): NetworkError | undefined {
  const { uploadStatus, failureReason, rejectionReason } = status
  if (uploadStatus === 'deleted') {
    return new NetworkError('YouTube', { kind: 'permanent', why: 'gone' }, 'The video was removed from YouTube.')
  }
  if (uploadStatus !== 'failed' && uploadStatus !== 'rejected') return undefined
  const reason = (uploadStatus === 'failed' ? failureReason : rejectionReason) ?? ''
  const remote = { code: reason || uploadStatus }
  if (reason === 'duplicate') {
    const sentence = 'YouTube has rejected the video because the channel has it already.'
    return new NetworkError('YouTube', { kind: 'duplicate' }, sentence, remote)
  }
  const did = uploadStatus === 'failed' ? 'could not use the video' : 'has rejected the video'
  const why = words.get(reason) ?? (reason && `it says “${reason}”`)
  const sentence = `YouTube ${did}${why && `: ${why}`}.`
  return new NetworkError('YouTube', { kind: 'permanent', why: 'input', field: 'media' }, sentence, remote)
}

const words = new Map(
  Object.entries({
    codec: 'it was encoded in a way YouTube does not know',
    conversion: 'it could not be converted',
    emptyFile: 'the file is empty',
    invalidFile: 'the file is not a video YouTube can read',
    tooSmall: 'the file is too small',
    uploadAborted: 'the upload was broken off',
    claim: 'somebody else claims its content',
    copyright: 'it infringes a copyright',
    inappropriate: 'its content is against the community guidelines',
    legal: 'it may not be shown for legal reasons',
    length: 'it is longer than this channel may upload',
    termsOfUse: 'it is against the terms of use',
    trademark: 'it infringes a trademark',
    uploaderAccountClosed: 'the account of this channel is closed',
    uploaderAccountSuspended: 'the account of this channel is suspended',
  }),
)
