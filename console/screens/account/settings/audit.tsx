import { changeSearch, useAddress, valuesOf } from '../../../shell/router.ts'
import { beginOf, isDay, momentOf, wallOf } from '../../../time/days.ts'
import { dayLength, zoneLens } from '../../../time/zone-lens.ts'
import { LinkButton } from '../../../ui/inputs/button.tsx'
import { Combobox } from '../../../ui/inputs/combobox.tsx'
import { DayField } from '../../../ui/inputs/day-field.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { Filter } from '../../../ui/inputs/filters.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { type Column, Table } from '../../../ui/layout/table.tsx'
import { useCursor } from '../../../wire/pages.ts'
import { told, useCall } from '../../../wire/queries.ts'
import { dayAndClock, readersZone } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { type Deed, deedGroups, groupNames } from './deed.ts'
import { DeedDialog } from './deed-dialog.tsx'
import { Part } from './part.tsx'

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
