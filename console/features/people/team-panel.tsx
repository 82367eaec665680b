import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { withSearch } from '@/routes/router.ts'
import { Face } from '@/ui/badges.tsx'
import { Button, IconButton } from '@/ui/button.tsx'
import { Combobox, type Option } from '@/ui/combobox.tsx'
import { Field } from '@/ui/field.tsx'
import { Panel } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { DeletingTeam } from './teams.tsx'

type Entity = Body<'GET /team/{id}/entity'>['Items'][number]
type Kind = Entity['Kind']

const stale = ['GET /team', 'GET /team/{id}/entity', 'GET /user', 'GET /restricted-entity'] as const
const refused = ({ message }: { message: string }) => say(message, { kind: 'problem' })

/** One team: who is in it, and what it sees; both can be added and taken away. */
export function TeamPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const mayChange = useMay()('administer')
  const [isDeleting, setIsDeleting] = useState(false)
  const { data: teams } = useCall('GET /team', {})
  const { data, error, refetch } = useCall('GET /team/{id}/entity', { id }, { keepsLast: false })
  const team = teams?.Items.find(({ Id }) => Id === id)
  const add = useChange('v2 POST /team-entity/{entityId}', { stale, refused })
  const take = useChange('v2 DELETE /team-entity/{entityId}', { stale, refused })
  const entities = data?.Items ?? []
  const part = (kind: Kind) => ({
    kind,
    entities: entities.filter(({ Kind: one }) => one === kind),
    mayChange,
    onAdd: (entityId: string) => add.mutate({ entityId, teamIds: [id] }),
    onTake: (entityId: string) => take.mutate({ entityId, teamIds: [id] }),
  })
  return (
    <Panel
      title={<span dir="auto">{team?.Name ?? words.people.team}</span>}
      onClose={onClose}
      actions={
        team &&
        mayChange && (
          <Button kind="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            {words.people.deleteTeam}
          </Button>
        )
      }
    >
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {team && mayChange && <Naming key={team.Name} id={id} name={team.Name} />}
      {data && (
        <>
          <Part {...part('user')} />
          <p className="hint">{words.people.seesWhy}</p>
          <Part {...part('campaign')} />
          <Part {...part('workflow')} />
          <Part {...part('board')} />
        </>
      )}
      {isDeleting && team && <DeletingTeam team={team} onClose={() => setIsDeleting(false)} onDone={onClose} />}
    </Panel>
  )
}

function Naming({ id, name }: { id: string; name: string }) {
  const [typed, setTyped] = useState(name)
  const rename = useChange('v2 POST /team/{id}', { stale: ['GET /team'], refused })
  return (
    <form
      className="team-naming"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== name) rename.mutate({ id, name: typed })
      }}
    >
      <Field label={words.people.teamName} value={typed} maxLength={255} dir="auto" onChange={setTyped} />
      {typed !== name && (
        <Button type="submit" busy={rename.isPending}>
          {words.people.save}
        </Button>
      )}
    </form>
  )
}

interface PartProps {
  kind: Kind
  entities: readonly Entity[]
  mayChange: boolean
  onAdd: (id: string) => void
  onTake: (id: string) => void
}

function Part({ kind, entities, mayChange, onAdd, onTake }: PartProps) {
  const Choice = choices[kind]
  return (
    <section className="team-part">
      <h3 className="frame-label">{words.people.kinds[kind]}</h3>
      <ul className="entity-list">
        {entities.length === 0 && <li className="quiet">{words.people.noneOf[kind]}</li>}
        {entities.map(({ Id, Name }) => (
          <li key={Id}>
            {kind === 'user' ? (
              <a className="people-name" href={withSearch({ view: '', team: '', user: Id })}>
                <Face name={Name} />
                <span dir="auto">{Name}</span>
              </a>
            ) : (
              <span dir="auto">{Name}</span>
            )}
            {mayChange && (
              <IconButton icon="close" label={words.people.takeFromTeam(Name)} onClick={() => onTake(Id)} />
            )}
          </li>
        ))}
      </ul>
      {mayChange && <Choice kind={kind} known={new Set(entities.map(({ Id }) => Id))} onAdd={onAdd} />}
    </section>
  )
}

interface ChoiceProps {
  kind: Kind
  known: ReadonlySet<string>
  onAdd: (id: string) => void
}

interface AddProps extends ChoiceProps {
  options: readonly { Id: string; Name: string }[]
  onFind?: (text: string) => void
}

const Adding = ({ kind, known, options, onAdd, onFind }: AddProps) => (
  <Combobox
    label={words.people.addKind[kind]}
    placeholder={words.people.findKind}
    options={options.filter(({ Id }) => !known.has(Id)).map(({ Id, Name }): Option => ({ value: Id, label: Name }))}
    value=""
    onChange={onAdd}
    {...(onFind && { onFind })}
  />
)

function AddUser(props: ChoiceProps) {
  const [q, setQ] = useState('')
  const { data } = useCall('GET /user', { _count: 50, _order: 'name,1', ...(q && { q }) })
  return <Adding {...props} options={data?.Items ?? []} onFind={setQ} />
}

function AddCampaign(props: ChoiceProps) {
  const [q, setQ] = useState('')
  const { data } = useCall('v2 GET /campaign', { _count: 50, ...(q && { q }) })
  return <Adding {...props} options={data?.Items ?? []} onFind={setQ} />
}

function AddWorkflow(props: ChoiceProps) {
  const { data } = useCall('v2 GET /workflow', {})
  return <Adding {...props} options={data?.Items ?? []} />
}

function AddBoard(props: ChoiceProps) {
  const { data } = useCall('v2 GET /board', {})
  return <Adding {...props} options={data?.Items ?? []} />
}

const choices = { user: AddUser, campaign: AddCampaign, workflow: AddWorkflow, board: AddBoard }
