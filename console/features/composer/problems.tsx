import { memo } from 'react'
import type { Network } from '#networks/manifests.ts'
import { useCall, useSettled } from '@/api/queries.ts'
import { dayAndClock, list } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { NetworkMark, networkName } from '@/ui/badges.tsx'
import { Icon } from '@/ui/icons.tsx'
import type { Profile } from './composition.ts'
import type { Verdict } from './validation.ts'

interface ProblemsProps {
  verdicts: readonly Verdict[]
  /** What the service said of a version when it was sent. */
  refused: ReadonlyMap<Network, string>
  onEdit: (network: Network) => void
}

/** What stands in the way, each with the way there. */
export function Problems({ verdicts, refused, onEdit }: ProblemsProps) {
  const all = verdicts.flatMap(({ network, problems }) => {
    const told = refused.get(network)
    return [...problems, ...(told && !problems.includes(told) ? [told] : [])].map((sentence) => ({ network, sentence }))
  })
  return (
    <section className="problems" aria-label={words.composer.inTheWay}>
      {all.length > 0 ? (
        <ul>
          {all.map(({ network, sentence }) => (
            <li key={network + sentence}>
              <button type="button" className="problems-one" onClick={() => onEdit(network)}>
                <NetworkMark network={network} label />
                <span>{sentence}</span>
                <b>{words.composer.editOn(networkName(network))}</b>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        verdicts.length > 0 && (
          <p className="problems-none">
            <Icon name="check" /> {words.composer.fitsOn(list(verdicts.map(({ network }) => networkName(network))))}
          </p>
        )
      )}
    </section>
  )
}

interface SimilarProps {
  text: string
  profiles: readonly Profile[]
  at: number | undefined
  postId: string
}

/** The same words on the same profile within a week: a warning, nothing more. */
export const Similar = memo(({ text, profiles, at, postId }: SimilarProps) => {
  const asked = useSettled(JSON.stringify({ text, ids: profiles.map(({ Id }) => Id), at }), 900)
  const { text: message, ids, at: moment } = JSON.parse(asked) as { text: string; ids: string[]; at?: number }
  const { data } = useCall(
    'POST /post/similar',
    {
      message,
      credentialIds: ids,
      ...(moment !== undefined && { startDateTime: Math.floor(moment / 1000) }),
      ...(postId && { postId }),
    },
    { enabled: message.trim() !== '' && ids.length > 0, keepsLast: false },
  )
  const [first] = data?.Items ?? []
  if (!first) return null
  const names = profiles.filter(({ Id }) => first.CredentialIds.includes(Id)).map(({ DisplayName }) => DisplayName)
  return (
    <p className="similar" role="status">
      <Icon name="warning" />
      <span>
        {words.composer.similar(list(names), dayAndClock(first.At * 1000))}{' '}
        <a href={`/app/calendar?post=${first.Id}`}>{words.composer.lookAtIt}</a>
      </span>
    </p>
  )
})
