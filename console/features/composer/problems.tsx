import { memo } from 'react'
import type { Network } from '#networks/manifests.ts'
import { useApiQuery, useDebounced } from '@/api/queries.ts'
import { formatDateTime, formatList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { NetworkIcon, networkName } from '@/ui/badges.tsx'
import { Icon } from '@/ui/icons.tsx'
import type { Profile } from './composition.ts'
import * as styles from './problems.module.css'
import type { ValidationResult } from './validation.ts'

interface ProblemsProps {
  verdicts: readonly ValidationResult[]
  /** Errors of the server, by network. */
  rejected: ReadonlyMap<Network, string>
  onEdit: (network: Network) => void
}

/** Errors to fix before publishing, each with a link to its field. */
export function Problems({ verdicts, rejected, onEdit }: ProblemsProps) {
  const all = verdicts.flatMap(({ network, problems }) => {
    const serverError = rejected.get(network)
    return [...problems, ...(serverError && !problems.includes(serverError) ? [serverError] : [])].map((sentence) => ({
      network,
      sentence,
    }))
  })
  return (
    <section className={styles.problems} aria-label={texts.composer.inTheWay}>
      {all.length > 0 ? (
        <ul>
          {all.map(({ network, sentence }) => (
            <li key={network + sentence}>
              <button type="button" data-testid="problem" className={styles.problem} onClick={() => onEdit(network)}>
                <NetworkIcon network={network} label />
                <span>{sentence}</span>
                <b>{texts.composer.editOn(networkName(network))}</b>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        verdicts.length > 0 && (
          <p data-testid="problems-ok" className={styles.ok}>
            <Icon name="check" />{' '}
            {texts.composer.fitsOn(formatList(verdicts.map(({ network }) => networkName(network))))}
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

/** The same text on the same profile within a week; only a warning. */
export const DuplicateWarning = memo(({ text, profiles, at, postId }: SimilarProps) => {
  const asked = useDebounced(JSON.stringify({ text, ids: profiles.map(({ Id }) => Id), at }), 900)
  const { text: message, ids, at: moment } = JSON.parse(asked) as { text: string; ids: string[]; at?: number }
  const { data } = useApiQuery(
    'POST /post/similar',
    {
      message,
      credentialIds: ids,
      ...(moment !== undefined && { startDateTime: Math.floor(moment / 1000) }),
      ...(postId && { postId }),
    },
    { enabled: message.trim() !== '' && ids.length > 0, keepPrevious: false },
  )
  const [first] = data?.Items ?? []
  if (!first) return null
  const names = profiles.filter(({ Id }) => first.CredentialIds.includes(Id)).map(({ DisplayName }) => DisplayName)
  return (
    <p data-testid="duplicate-warning" className={styles.duplicateWarning} role="status">
      <Icon name="warning" />
      <span>
        {texts.composer.similar(formatList(names), formatDateTime(first.At * 1000))}{' '}
        <a href={`/app/calendar?post=${first.Id}`}>{texts.composer.lookAtIt}</a>
      </span>
    </p>
  )
})
