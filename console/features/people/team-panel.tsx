import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith } from '@/routes/router.ts'
import { Avatar } from '@/ui/badges.tsx'
import { Button, IconButton } from '@/ui/button.tsx'
import { Combobox, type Option } from '@/ui/combobox.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { Field } from '@/ui/field.tsx'
import { Panel } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './people.module.css'
import { DeleteTeamDialog } from './teams.tsx'

type Entity = Body<'GET /team/{id}/entity'>['Items'][number]
type Kind = Entity['Kind']

const invalidates = ['GET /team', 'GET /team/{id}/entity', 'GET /user', 'GET /restricted-entity'] as const
const onError = ({ message }: { message: string }) => toast(message, { kind: 'problem' })

/** One team: its members and the content visible to it. */
export function TeamPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const mayChange = useMay()('administer')
  const [isDeleting, setIsDeleting] = useState(false)
  const { data: teams } = useApiQuery('GET /team', {})
  const { data, error, refetch } = useApiQuery('GET /team/{id}/entity', { id }, { keepPrevious: false })
  const team = teams?.Items.find(({ Id }) => Id === id)
  const add = useApiMutation('v2 POST /team-entity/{entityId}', { invalidates, onError })
  const removeEntity = useApiMutation('v2 DELETE /team-entity/{entityId}', { invalidates, onError })
  const entities = data?.Items ?? []
  const part = (kind: Kind) => ({
    kind,
    entities: entities.filter(({ Kind: one }) => one === kind),
    mayChange,
    onAdd: (entityId: string) => add.mutate({ entityId, teamIds: [id] }),
    onRemoveEntity: (entityId: string) => removeEntity.mutate({ entityId, teamIds: [id] }),
  })
  return (
    <Panel
      title={<span dir="auto">{team?.Name ?? texts.people.team}</span>}
      onClose={onClose}
      actions={
        team &&
        mayChange && (
          <Button variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            {texts.people.deleteTeam}
          </Button>
        )
      }
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {team && mayChange && <RenameForm key={team.Name} id={id} name={team.Name} />}
      {data && (
        <>
          <EntitySection {...part('user')} />
          <p className={fieldStyles.hint}>{texts.people.seesWhy}</p>
          <EntitySection {...part('campaign')} />
          <EntitySection {...part('workflow')} />
          <EntitySection {...part('board')} />
        </>
      )}
      {isDeleting && team && <DeleteTeamDialog team={team} onClose={() => setIsDeleting(false)} onDone={onClose} />}
    </Panel>
  )
}

function RenameForm({ id, name }: { id: string; name: string }) {
  const [typed, setTyped] = useState(name)
  const rename = useApiMutation('v2 POST /team/{id}', { invalidates: ['GET /team'], onError })
  return (
    <form
      className={styles.teamNaming}
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== name) rename.mutate({ id, name: typed })
      }}
    >
      <Field label={texts.people.teamName} value={typed} maxLength={255} dir="auto" onChange={setTyped} />
      {typed !== name && (
        <Button type="submit" busy={rename.isPending}>
          {texts.people.save}
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
  onRemoveEntity: (id: string) => void
}

function EntitySection({ kind, entities, mayChange, onAdd, onRemoveEntity }: PartProps) {
  const Choice = choices[kind]
  return (
    <section className={styles.teamPart}>
      <h3 className={fieldStyles.frameLabel}>{texts.people.kinds[kind]}</h3>
      <ul data-testid="entity-list" className={styles.entityList}>
        {entities.length === 0 && <li className="muted">{texts.people.noneOf[kind]}</li>}
        {entities.map(({ Id, Name }) => (
          <li key={Id}>
            {kind === 'user' ? (
              <a className={styles.name} href={hrefWith({ view: '', team: '', user: Id })}>
                <Avatar name={Name} />
                <span dir="auto">{Name}</span>
              </a>
            ) : (
              <span dir="auto">{Name}</span>
            )}
            {mayChange && (
              <IconButton icon="close" label={texts.people.takeFromTeam(Name)} onClick={() => onRemoveEntity(Id)} />
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

const AddEntity = ({ kind, known, options, onAdd, onFind }: AddProps) => (
  <Combobox
    label={texts.people.addKind[kind]}
    placeholder={texts.people.findKind}
    options={options.filter(({ Id }) => !known.has(Id)).map(({ Id, Name }): Option => ({ value: Id, label: Name }))}
    value=""
    onChange={onAdd}
    {...(onFind && { onSearch: onFind })}
  />
)

function AddUser(props: ChoiceProps) {
  const [q, setQ] = useState('')
  const { data } = useApiQuery('GET /user', { _count: 50, _order: 'name,1', ...(q && { q }) })
  return <AddEntity {...props} options={data?.Items ?? []} onFind={setQ} />
}

function AddCampaign(props: ChoiceProps) {
  const [q, setQ] = useState('')
  const { data } = useApiQuery('v2 GET /campaign', { _count: 50, ...(q && { q }) })
  return <AddEntity {...props} options={data?.Items ?? []} onFind={setQ} />
}

function AddWorkflow(props: ChoiceProps) {
  const { data } = useApiQuery('v2 GET /workflow', {})
  return <AddEntity {...props} options={data?.Items ?? []} />
}

function AddBoard(props: ChoiceProps) {
  const { data } = useApiQuery('v2 GET /board', {})
  return <AddEntity {...props} options={data?.Items ?? []} />
}

const choices = { user: AddUser, campaign: AddCampaign, workflow: AddWorkflow, board: AddBoard }
