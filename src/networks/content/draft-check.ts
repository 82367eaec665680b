import type { Draft, MediaRef } from '../connector/draft.ts'
import { badInput, NetworkError, unsupported } from '../connector/fault.ts'
import { manifestOf, type Network } from '../manifests.ts'
import type { ContentMedia, Problem } from './content.ts'
import { judgeComment, judgeMessage, judgePost, noMessages } from './content-check.ts'
import { gateOf } from './gates.ts'
import type { Capabilities, Capability, Limits } from './limits.ts'

/** What one profile may do, where that is not what every profile may. */
interface ProfileRules {
  limits?: Limits
  capabilities?: Capabilities
}

/** Refuses what the network would refuse, before anything is sent: by the rules and in the words a writer is told. */
export function refuseUnfitPost(network: Network, draft: Draft, { limits, capabilities }: ProfileRules = {}) {
  refuse(network, judgePost(network, { ...draft, media: draft.media.map(asSent) }, limits, capabilities))
}

export function refuseUnfitComment(
  network: Network,
  text: string,
  media: readonly MediaRef[],
  rules: ProfileRules = {},
) {
  refuse(network, judgeComment(network, { text, media: media.map(asSent) }, rules.limits))
}

export function refuseUnfitMessage(
  network: Network,
  text: string,
  media: readonly MediaRef[],
  rules: ProfileRules = {},
) {
  refuse(network, judgeMessage(network, { text, media: media.map(asSent) }, rules.limits))
}

/** Refuses what the profile is known not to be allowed, with the sentence that writers see. Whom a gate lets through, only the network can tell. */
export function refuseGated(network: Network, can: Capability) {
  const gate = gateOf(can)
  if (gate && gate.unless === undefined) throw gated(network, gate.gated)
}

const gated = (network: Network, sentence: string) =>
  new NetworkError(network, { kind: 'permanent', why: 'permission' }, sentence)

/** What a connector says where there are no direct messages. */
export function withoutMessages(network: Network) {
  const message = async (): Promise<never> => {
    throw unsupported(network, noMessages(manifestOf(network).name).sentence)
  }
  return { message, findMessage: message }
}

/** What the network has nothing of comes first: no change to the rest would help. */
function refuse(network: Network, problems: readonly Problem[]) {
  const [first] = [...problems.filter(({ field }) => field === undefined), ...problems]
  if (!first) return
  if (first.isGate) throw gated(network, first.sentence)
  const sentences = problems.map(({ sentence }) => sentence).join(' ')
  throw first.field === undefined ? unsupported(network, sentences) : badInput(network, sentences, first.field)
}

const asSent = ({ mime, bytes, name = '', width, height, durationMs, alt }: MediaRef): ContentMedia => ({
  type: mime.startsWith('video/') ? 'Video' : mime.startsWith('image/') ? 'Image' : 'PDF',
  name,
  mime,
  bytes,
  width,
  height,
  alt,
  seconds: durationMs === undefined ? undefined : durationMs / 1000,
  isFinal: true,
})
