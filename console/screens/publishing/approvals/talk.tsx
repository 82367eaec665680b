import { momentOf, now } from '../../../time/days.ts'
import { Face } from '../../../ui/marks/face.tsx'
import { useCall } from '../../../wire/queries.ts'
import { dayAndClock, distance } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import type { Changes, Item } from './item.ts'

interface Entry {
  key: string
  at: string
  name: string
  /** What they decided, if they did. */
  did: string
  text: string
}

/** What was decided and said, newest below. */
export function Talk({ item, changes }: { item: Item; changes: Changes }) {
  const { data } = useCall('v2 GET /workflow-item-note', { id: item.Id }, { keepsLast: false })
  const entries = data ? entriesOf(data, changes) : []
  return (
    <section className="talk">
      <h3 className="panel-title">{words.approvals.talk}</h3>
      {data && entries.length === 0 && <p className="quiet">{words.approvals.nothingSaid}</p>}
      <ol>
        {entries.map(({ key, at, name, did, text }) => (
          <li key={key} className="talk-entry">
            <Face name={name} />
            <div>
              <p>
                <strong dir="auto">{name}</strong> {did}{' '}
                <time className="quiet" title={dayAndClock(momentOf(at))}>
                  {distance(momentOf(at), now())}
                </time>
              </p>
              {text && (
                <p className="content-words" dir="auto">
                  {text}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

type Notes = { Notes: readonly { Id: string; UserId: string; Created: string; Text: string }[]; Authors: Authors }
type Authors = { readonly [id: string]: { Name: string } | undefined }

/** The note of a decision is kept among the notes as well: it is shown once, with the decision. */
function entriesOf({ Notes, Authors }: Notes, changes: Changes): Entry[] {
  const decisions = changes.Rounds.flatMap(({ Decisions }) => Decisions)
  const nameOf = (id: string, among: Authors) => among[id]?.Name ?? words.approvals.somebody
  const decided = decisions.map(({ UserId, StepId, IsApprove, Note, Created }): Entry => {
    const did = IsApprove ? words.approvals.approvedIt : words.approvals.rejectedIt
    return {
      key: `${StepId} ${UserId} ${Created}`,
      at: Created,
      name: nameOf(UserId, changes.Authors),
      did,
      text: Note,
    }
  })
  const isDecisions = ({ UserId, Text, Created }: Notes['Notes'][number]) =>
    decisions.some((one) => one.UserId === UserId && one.Note === Text && one.Created === Created)
  const said = Notes.filter((note) => !isDecisions(note)).map(
    ({ Id, UserId, Created, Text }): Entry => ({
      key: Id,
      at: Created,
      name: nameOf(UserId, Authors),
      did: '',
      text: Text,
    }),
  )
  return [...decided, ...said].sort((one, other) => one.at.localeCompare(other.at))
}
