import type { Body } from '@/api/call.ts'
import { told, useCall, useCursor } from '@/api/queries.ts'
import { dayAndClock, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, leadsSomewhere, useAddress, valuesOf } from '@/routes/router.ts'
import { beginOf, dayLength, isDay, momentOf, wallOf, zoneLens } from '@/time/days.ts'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { DayField, Field } from '@/ui/field.tsx'
import { Filter } from '@/ui/filters.tsx'
import { Fact } from '@/ui/layout.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { type Column, Table } from '@/ui/table.tsx'
import { Part } from './section.tsx'

const ways = ['key', 'session', 'password', 'link', 'operator'] as const

/** Who changed what, when and from where; every filter stands in the address, and in the table that is taken along. */
export function Audit() {
  const { search } = useAddress()
  const filters = filtersOf(search)
  const { items, isFirst, error, more, again } = useCursor('GET /audit', filters)
  const { data: people } = useCall('GET /user', { _count: 100, _order: 'name,1' })
  const open = items.find(({ Id }) => Id === search.get('deed'))
  const columns: Column<Deed>[] = [
    { id: 'when', label: words.settings.when, show: ({ Created }) => dayAndClock(momentOf(Created)) },
    {
      id: 'who',
      label: words.settings.who,
      show: ({ UserName }) => <span dir="auto">{UserName || words.settings.operator}</span>,
    },
    {
      id: 'what',
      label: words.settings.what,
      width: '34%',
      show: ({ Operation, Refused, Count }) => (
        <>
          {Refused ? `${words.settings.refusedDeed} ` : ''}
          {words.settings.deed(Operation)}
          {Count > 1 && ` ×${Count}`}
        </>
      ),
    },
    { id: 'entity', label: words.settings.ofWhat, show: ({ EntityId }) => <code>{EntityId}</code> },
    { id: 'via', label: words.settings.via, show: ({ Via }) => words.settings.vias[Via] },
    { id: 'from', label: words.settings.fromWhere, show: ({ Address }) => Address },
  ]
  const way = ways.find((one) => one === search.get('via'))
  const [group] = valuesOf(search, 'about')
  return (
    <Part isTable calls={['GET /app/api/audit', 'GET /app/api/audit.csv']}>
      <header className="settings-head">
        <h2>{words.settings.section.audit}</h2>
        <p className="quiet">{words.settings.auditZone(readersZone())}</p>
        <LinkButton icon="download" href={`/app/api/audit.csv${queryOf(filters)}`}>
          {words.settings.export}
        </LinkButton>
      </header>
      <div className="audit-filters">
        <Combobox
          label={words.settings.who}
          placeholder={words.ui.any}
          options={[
            { value: '', label: words.ui.any },
            ...(people?.Items.map(({ Id, Name }) => ({ value: Id, label: Name })) ?? []),
          ]}
          value={search.get('user') ?? ''}
          onChange={(user) => changeSearch({ user })}
        />
        <DayField
          label={words.settings.from}
          value={dayIn(search, 'from')}
          onChange={(from) => changeSearch({ from }, { replace: true })}
        />
        <DayField
          label={words.settings.until}
          value={dayIn(search, 'until')}
          onChange={(until) => changeSearch({ until }, { replace: true })}
        />
        <Field
          label={words.settings.ofWhat}
          placeholder={words.settings.anId}
          value={search.get('id') ?? ''}
          onChange={(id) => changeSearch({ id: id.trim() }, { replace: true })}
        />
        <Filter
          label={words.settings.about}
          options={groupNames.map((value) => ({ value, label: words.settings.deedGroups[value] }))}
          values={group ? [group] : []}
          onChange={(values) => changeSearch({ about: values.at(-1) })}
        />
        <Filter
          label={words.settings.via}
          options={ways.map((value) => ({ value, label: words.settings.vias[value] }))}
          values={way ? [way] : []}
          onChange={(values) => changeSearch({ via: values.at(-1) })}
        />
      </div>
      {error && <Problem {...told(error)} onAgain={again} />}
      {isFirst && !error && <Waiting />}
      {!isFirst && !error && items.length === 0 && <Empty icon="history" title={words.settings.noDeeds} />}
      {items.length > 0 && (
        <Table
          label={words.settings.section.audit}
          columns={columns}
          rows={items}
          idOf={({ Id }) => Id}
          nameOf={({ Operation }) => Operation}
          openId={open?.Id}
          onOpen={({ Id }) => changeSearch({ deed: Id })}
          onNearEnd={more}
        />
      )}
      {open && <DeedDialog deed={open} onClose={() => changeSearch({ deed: '' })} />}
    </Part>
  )
}

const dayIn = (search: URLSearchParams, name: string) => {
  const day = search.get(name) ?? ''
  return isDay(day) ? day : ''
}

/** Days are those of whoever reads. */
function momentOfDay(day: string, plusDays = 0): number {
  const wall = wallOf(day)
  const lens = zoneLens(readersZone(), wall - 2 * dayLength, wall + 3 * dayLength)
  return Math.floor(beginOf(lens, new Date(wall + plusDays * dayLength).toISOString().slice(0, 10)) / 1000)
}

function filtersOf(search: URLSearchParams) {
  const [from, until] = [dayIn(search, 'from'), dayIn(search, 'until')]
  const group = groupNames.find((one) => one === search.get('about'))
  const via = ways.find((one) => one === search.get('via'))
  const [user, id] = [search.get('user'), search.get('id')]
  return {
    ...(user && { userId: user }),
    // Half of an id finds nothing yet.
    ...(id && /^(?:\w{15}|003-.+)$/.test(id) && { id }),
    ...(via && { via }),
    ...(group && { operation: deedGroups[group] }),
    ...(from && { from: momentOfDay(from) }),
    ...(until && { to: momentOfDay(until, 1) }),
  }
}

const queryOf = (filters: { [name: string]: string | number | readonly string[] }) => {
  const query = new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]))
  return query.size > 0 ? `?${query}` : ''
}

/** All that is known of one deed. */
export function DeedDialog({ deed, onClose }: { deed: Deed; onClose: () => void }) {
  const { Created, UserId, UserName, Operation, EntityId, Via, ViaId, Address, Fields, Count } = deed
  const person = `/app/people?user=${UserId}`
  return (
    <Dialog title={words.settings.deed(Operation)} onClose={onClose} onSubmit={onClose}>
      <dl className="settings-facts">
        <Fact name={words.settings.when}>{dayAndClock(momentOf(Created))}</Fact>
        <Fact name={words.settings.who}>
          {UserId && leadsSomewhere(person) ? (
            <a href={person} dir="auto">
              {UserName || UserId}
            </a>
          ) : (
            <span dir="auto">{UserName || words.settings.operator}</span>
          )}
        </Fact>
        <Fact name={words.settings.operation}>
          <code>{Operation}</code>
        </Fact>
        {EntityId && (
          <Fact name={words.settings.ofWhat}>
            <code>{EntityId}</code>
          </Fact>
        )}
        <Fact name={words.settings.via}>
          {words.settings.vias[Via]} {ViaId && <code>{ViaId}</code>}
        </Fact>
        <Fact name={words.settings.fromWhere}>{Address || '–'}</Fact>
        {Fields.length > 0 && (
          <Fact name={words.settings.fields}>
            <code>{Fields.join(', ')}</code>
          </Fact>
        )}
        {Count > 1 && <Fact name={words.settings.howManyThings}>{Count}</Fact>}
      </dl>
      <DialogActions>
        <Button kind="main" type="submit">
          {words.ui.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export type Deed = Body<'GET /audit'>['Items'][number]

const app = (...routes: string[]) => routes.map((route) => route.replace(' /', ' /app/api/'))

/** What people look for in the audit log, as the operations that do it. */
export const deedGroups = {
  signIns: [
    ...app('POST /session', 'DELETE /session', 'DELETE /session/{id}', 'DELETE /sessions', 'POST /password'),
    ...app('POST /password-reset/choice', 'POST /invitation/choice'),
  ],
  people: [
    'POST /user',
    'POST /user/{id}',
    'DELETE /user/{id}',
    'POST /team',
    'POST /team/{id}',
    'DELETE /team/{id}',
    'POST /team-entity/{entityId}',
    'DELETE /team-entity/{entityId}',
    'user role',
    'user invite',
    'user password',
    ...app('POST /user/{id}/role', 'POST /user/{id}/media-library', 'POST /invitation', 'DELETE /invitation/{id}'),
    ...app('POST /invitation/{id}/send', 'POST /invitation/{id}/link', 'POST /me'),
  ],
  keys: [...app('POST /api-key', 'DELETE /api-key/{id}'), 'key create', 'key revoke'],
  posts: [
    'POST /post',
    'POST /post/{id}',
    'DELETE /post/{id}',
    'POST /post/{id}/change-campaign',
    'POST /message',
    'POST /message/{id}',
    'DELETE /message/{id}',
    ...app('POST /compose', 'POST /post/{id}/repair', 'POST /postlog/{id}/repair'),
  ],
  approvals: [
    'POST /workflow-item',
    'POST /workflow-item/{id}',
    'DELETE /workflow-item/{id}',
    ...app('POST /workflow-items', 'POST /workflow', 'PUT /workflow/{id}', 'DELETE /workflow/{id}'),
  ],
  profiles: [
    'PUT /credential/{id}',
    'DELETE /credential/{id}',
    'GET /app/connect/{network}/callback',
    'POST /app/connect/{network}/choice',
    'credential connect',
    ...app('POST /connect-offer/{id}'),
  ],
  webhooks: [
    'POST /webhook',
    'POST /webhook/{id}',
    'PUT /webhook/{id}',
    'DELETE /webhook/{id}',
    ...app('POST /webhook/{id}/rotate-secret', 'POST /webhook/{id}/resend-failed'),
  ],
} as const satisfies { [group: string]: readonly string[] }

export const groupNames = Object.keys(deedGroups) as (keyof typeof deedGroups)[]
