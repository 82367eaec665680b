import { badInput, NetworkError, unsupported } from '../connector/connector.ts'
import type { Draft, MediaRef } from '../connector/draft.ts'
import { manifestOf, type Network } from '../manifests.ts'
import type { Capabilities, Capability, ContentMedia, Limits, Problem } from './content.ts'
import { checkComment, checkMessage, checkPost, noMessages } from './content-check.ts'
import { gateOf } from './gates.ts'

/** Limits and capabilities of one profile, where they differ from the network's. */
interface ProfileRules {
  limits?: Limits
  capabilities?: Capabilities
}

/** Rejects content the network would reject, before anything is sent, by the same rules and texts that editors see. */
export function rejectInvalidPost(network: Network, draft: Draft, { limits, capabilities }: ProfileRules = {}) {
  reject(network, checkPost(network, { ...draft, media: draft.media.map(contentMediaOf) }, limits, capabilities))
}

export function rejectInvalidComment(
  network: Network,
  text: string,
  media: readonly MediaRef[],
  rules: ProfileRules = {},
) {
  reject(network, checkComment(network, { text, media: media.map(contentMediaOf) }, rules.limits))
}

export function rejectInvalidMessage(
  network: Network,
  text: string,
  media: readonly MediaRef[],
  rules: ProfileRules = {},
) {
  reject(network, checkMessage(network, { text, media: media.map(contentMediaOf) }, rules.limits))
}

/** Rejects features the profile has no permission for, with the text editors see. Conditional gates are left to the network. */
export function rejectGated(network: Network, can: Capability) {
  const gate = gateOf(can)
  if (gate && gate.unless === undefined) throw gated(network, gate.gated)
}

const gated = (network: Network, sentence: string) =>
  new NetworkError(network, { kind: 'permanent', why: 'permission' }, sentence)

/** Error of a connector whose network has no direct messages. */
export function withoutMessages(network: Network) {
  const message = async (): Promise<never> => {
    throw unsupported(network, noMessages(manifestOf(network).name).sentence)
  }
  return { message, findMessage: message }
}

/** Unsupported features come first: no other change would help. */
function reject(network: Network, problems: readonly Problem[]) {
  const [first] = [...problems.filter(({ field }) => field === undefined), ...problems]
  if (!first) return
  if (first.isGate) throw gated(network, first.sentence)
  const sentences = problems.map(({ sentence }) => sentence).join(' ')
  throw first.field === undefined ? unsupported(network, sentences) : badInput(network, sentences, first.field)
}

const contentMediaOf = ({ mime, bytes, name = '', width, height, durationMs, alt }: MediaRef): ContentMedia => ({
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
