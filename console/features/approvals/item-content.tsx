import { useApiQuery } from '@/api/queries.ts'
import { formatDateTime, formatRelativeTime, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { now, parseTimestamp } from '@/time/days.ts'
import { NetworkIcon, networkName } from '@/ui/badges.tsx'
import { Diff } from '@/ui/diff.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { Detail } from '@/ui/layout.tsx'
import { type Changes, dueOf, type Item, lastDecision, networksOf } from './approval-item.ts'
import * as styles from './approvals.module.css'

/** Parts for one network are labelled with its display name. */
const partName = (name: string) =>
  texts.approvals.part[name] ?? name.replace(/, (\w+)$/, (_, network: string) => `, ${networkName(network)}`)

/** The content under review as it will be published, part by part. */
export function Content({ item, changes }: { item: Item; changes: Changes }) {
  const parts = new Map(changes.Now.map(({ Name, Text }) => [Name, Text]))
  const [only = ''] = networksOf(item)
  const due = dueOf(item)
  const facts = [...parts].filter(([name]) => !['Text', 'Title', 'Profiles', 'Link', 'Media'].includes(name))
  return (
    <section aria-label={texts.approvals.says} data-testid="content-card" className={styles.contentCard}>
      <header className={styles.contentHead}>
        {networksOf(item).length === 1 && <NetworkIcon network={only} />}
        <span dir="auto">
          {parts.get('Profiles')?.replaceAll('\n', ', ') || networksOf(item).map(networkName).join(', ')}
        </span>
        <span className={`muted tabular-nums ${styles.contentWhen}`}>
          {due === undefined ? texts.approvals.queue : `${formatDateTime(due)} ${userTimeZone()}`}
        </span>
      </header>
      {parts.get('Title') && (
        <h3 className={styles.contentTitle} dir="auto">
          {parts.get('Title')}
        </h3>
      )}
      <p className={styles.contentText} dir="auto">
        {parts.get('Text')}
      </p>
      {parts.get('Media') && <Pictures item={item} names={parts.get('Media') ?? ''} />}
      {parts.get('Link') && <LinkCard text={parts.get('Link') ?? ''} />}
      {facts.length > 0 && (
        <dl className={styles.contentFacts}>
          {facts.map(([name, text]) => (
            <Detail key={name} name={partName(name)}>
              <span className={styles.contentText} dir="auto">
                {text}
              </span>
            </Detail>
          ))}
        </dl>
      )}
    </section>
  )
}

/** The images of a post; names where no preview is available. */
function Pictures({ item, names }: { item: Item; names: string }) {
  const { data } = useApiQuery(
    'v2 GET /message/{id}',
    { id: item.MessageId },
    { enabled: item.MessageId !== '', keepPrevious: false },
  )
  const media = data?.Message.Media ?? []
  if (media.length === 0) return <p className={`muted ${styles.contentText}`}>{names}</p>
  return (
    <ul className={styles.contentMedia}>
      {media.map(({ Id, Type, Name }) => (
        <li key={Id}>
          {Type === 'Image' || Type === 'ImageUrl' ? (
            <img src={`/app/api/media/${encodeURIComponent(Id)}/preview`} alt={Name} loading="lazy" />
          ) : (
            <span className="muted" dir="auto">
              {Name}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The URL, then the text of its card. */
function LinkCard({ text }: { text: string }) {
  const [url = '', title = '', ...rest] = text.split('\n')
  return (
    <p className={styles.contentLink}>
      {title && <strong dir="auto">{title}</strong>}
      {rest[0] && <span dir="auto">{rest[0]}</span>}
      <span className="muted">{url}</span>
    </p>
  )
}

/** Word-level changes since the last decision, and the text before that. */
export function ContentChanges({ changes }: { changes: Changes }) {
  const last = lastDecision(changes)
  if (!last) return null
  const { decision } = last
  const author = changes.Authors[decision.UserId]?.Name ?? texts.approvals.unknownUser
  const what = decision.IsApprove ? 'approved' : 'rejected'
  const decidedAgo = formatRelativeTime(parseTimestamp(decision.Created), now())
  if (changes.Changed.length === 0)
    return <p className="muted">{texts.approvals.unchanged(author, what, decidedAgo)}</p>
  return (
    <section data-testid="content-changes" className={styles.contentChanges}>
      <h3 className={layoutStyles.panelTitle}>{texts.approvals.changed(author, what, decidedAgo)}</h3>
      {changes.Changed.map(({ Name, Before, Now }) => (
        <div key={Name} className={styles.contentChange}>
          <h4>{partName(Name)}</h4>
          <Diff before={Before} now={Now} />
        </div>
      ))}
    </section>
  )
}

/** The text of every earlier round. */
export function PreviousVersions({ changes }: { changes: Changes }) {
  const rounds = changes.Rounds.slice(1)
  if (rounds.length === 0) return null
  return (
    <details className={styles.previousVersions}>
      <summary>{texts.approvals.earlier}</summary>
      <ol>
        {rounds.map(({ ItemId, Round, Created, Parts }) => (
          <li key={`${ItemId} ${Round}`}>
            <h4 className="muted">{texts.approvals.version(Round, formatDateTime(parseTimestamp(Created)))}</h4>
            <p className={styles.contentText} dir="auto">
              {Parts.find(({ Name }) => Name === 'Text')?.Text}
            </p>
          </li>
        ))}
      </ol>
    </details>
  )
}
