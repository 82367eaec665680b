import { useCall } from '@/api/queries.ts'
import { dayAndClock, distance, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { momentOf, now } from '@/time/days.ts'
import { NetworkMark, networkName } from '@/ui/badges.tsx'
import { Diff } from '@/ui/diff.tsx'
import { Fact } from '@/ui/layout.tsx'
import { type Changes, dueOf, type Item, lastDecision, networksOf } from './approval-item.ts'

/** One of several is called by its network, as people call that. */
const partName = (name: string) =>
  words.approvals.part[name] ?? name.replace(/, (\w+)$/, (_, network: string) => `, ${networkName(network)}`)

/** What is decided on, as readers will see it, part by part. */
export function Content({ item, changes }: { item: Item; changes: Changes }) {
  const parts = new Map(changes.Now.map(({ Name, Text }) => [Name, Text]))
  const [only = ''] = networksOf(item)
  const due = dueOf(item)
  const facts = [...parts].filter(([name]) => !['Text', 'Title', 'Profiles', 'Link', 'Media'].includes(name))
  return (
    <section aria-label={words.approvals.says} className="content-card">
      <header className="content-head">
        {networksOf(item).length === 1 && <NetworkMark network={only} />}
        <span dir="auto">
          {parts.get('Profiles')?.replaceAll('\n', ', ') || networksOf(item).map(networkName).join(', ')}
        </span>
        <span className="quiet number content-when">
          {due === undefined ? words.approvals.queue : `${dayAndClock(due)} ${readersZone()}`}
        </span>
      </header>
      {parts.get('Title') && (
        <h3 className="content-title" dir="auto">
          {parts.get('Title')}
        </h3>
      )}
      <p className="content-words" dir="auto">
        {parts.get('Text')}
      </p>
      {parts.get('Media') && <Pictures item={item} names={parts.get('Media') ?? ''} />}
      {parts.get('Link') && <LinkCard text={parts.get('Link') ?? ''} />}
      {facts.length > 0 && (
        <dl className="content-facts">
          {facts.map(([name, text]) => (
            <Fact key={name} name={partName(name)}>
              <span className="content-words" dir="auto">
                {text}
              </span>
            </Fact>
          ))}
        </dl>
      )}
    </section>
  )
}

/** The pictures of a post; of what has none that can be shown, the names. */
function Pictures({ item, names }: { item: Item; names: string }) {
  const { data } = useCall(
    'v2 GET /message/{id}',
    { id: item.MessageId },
    { enabled: item.MessageId !== '', keepsLast: false },
  )
  const media = data?.Message.Media ?? []
  if (media.length === 0) return <p className="quiet content-words">{names}</p>
  return (
    <ul className="content-media">
      {media.map(({ Id, Type, Name }) => (
        <li key={Id}>
          {Type === 'Image' || Type === 'ImageUrl' ? (
            <img src={`/app/api/media/${encodeURIComponent(Id)}/preview`} alt={Name} loading="lazy" />
          ) : (
            <span className="quiet" dir="auto">
              {Name}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The address, then what its card says. */
function LinkCard({ text }: { text: string }) {
  const [url = '', title = '', ...rest] = text.split('\n')
  return (
    <p className="content-link">
      {title && <strong dir="auto">{title}</strong>}
      {rest[0] && <span dir="auto">{rest[0]}</span>}
      <span className="quiet">{url}</span>
    </p>
  )
}

/** What changed since somebody last said yes or no, word by word, and what it said before that. */
export function Changed({ changes }: { changes: Changes }) {
  const last = lastDecision(changes)
  if (!last) return null
  const { decision } = last
  const who = changes.Authors[decision.UserId]?.Name ?? words.approvals.somebody
  const what = decision.IsApprove ? 'approved' : 'rejected'
  const when = distance(momentOf(decision.Created), now())
  if (changes.Changed.length === 0) return <p className="quiet">{words.approvals.unchanged(who, what, when)}</p>
  return (
    <section className="changed">
      <h3 className="panel-title">{words.approvals.changed(who, what, when)}</h3>
      {changes.Changed.map(({ Name, Before, Now }) => (
        <div key={Name} className="changed-part">
          <h4>{partName(Name)}</h4>
          <Diff before={Before} now={Now} />
        </div>
      ))}
    </section>
  )
}

/** What it said in every round before. */
export function Earlier({ changes }: { changes: Changes }) {
  const rounds = changes.Rounds.slice(1)
  if (rounds.length === 0) return null
  return (
    <details className="earlier">
      <summary>{words.approvals.earlier}</summary>
      <ol>
        {rounds.map(({ ItemId, Round, Created, Parts }) => (
          <li key={`${ItemId} ${Round}`}>
            <h4 className="quiet">{words.approvals.version(Round, dayAndClock(momentOf(Created)))}</h4>
            <p className="content-words" dir="auto">
              {Parts.find(({ Name }) => Name === 'Text')?.Text}
            </p>
          </li>
        ))}
      </ol>
    </details>
  )
}
