import { useState } from 'react'
import { type Day, isDay } from '@/time/days.ts'
import { Combobox, MultiCombobox } from '@/ui/combobox.tsx'
import {
  Checkbox,
  CopyField,
  DayField,
  Field,
  PasswordField,
  SegmentedControl,
  Select,
  Switch,
  TextArea,
  TimeField,
} from '@/ui/field.tsx'
import { Filter, SearchField, ToggleChip } from '@/ui/filters.tsx'
import { Example, type ExamplesProps } from './example.tsx'
import * as styles from './gallery.module.css'

const countries = [
  { value: 'at', label: 'Austria', detail: 'Vienna' },
  { value: 'be', label: 'Belgium', detail: 'Brussels' },
  { value: 'bg', label: 'Bulgaria', detail: 'Sofia' },
  { value: 'hr', label: 'Croatia', detail: 'Zagreb' },
  { value: 'dk', label: 'Denmark', detail: 'Copenhagen' },
  { value: 'fi', label: 'Finland', detail: 'Helsinki' },
]
const statuses = [
  { value: 'draft', label: 'Draft' },
  { value: 'planned', label: 'Scheduled' },
  { value: 'sent', label: 'Published' },
]

const firstDay: Day | '' = isDay('2026-11-18') ? '2026-11-18' : ''

export function Fields({ only }: ExamplesProps) {
  const [text, setText] = useState('Spring range')
  const [note, setNote] = useState('Bring it in: we mend what we sell.')
  const [day, setDay] = useState<Day | ''>(firstDay)
  const [time, setTime] = useState('09:30')
  return (
    <>
      <Example name="Field" only={only}>
        <Field label="Name" value={text} onChange={setText} />
        <Field label="Empty" placeholder="Campaign name" />
        <Field label="With a hint" hint="Shown to your team only." defaultValue="North" />
        <Field label="With an error" error="A name may have 200 characters." defaultValue="Too long" />
        <Field label="Disabled" value="Cannot be changed" disabled />
        <PasswordField label="Password" autoComplete="off" defaultValue="secret words" />
        <CopyField label="API key" text="chk_example" />
      </Example>
      <Example name="Text area" only={only}>
        <TextArea label="Note" value={note} onChange={setNote} />
        <TextArea label="With an error" error="The text is required." />
      </Example>
      <Example name="Date and time" only={only}>
        <DayField label="Day" value={day} onChange={setDay} min={firstDay || undefined} />
        <TimeField label="Time" value={time} onChange={setTime} hint="Europe/Berlin" />
        <p className={styles.result}>
          {day} {time}
        </p>
      </Example>
    </>
  )
}

export function Choices({ only }: ExamplesProps) {
  const [country, setCountry] = useState('be')
  const [several, setSeveral] = useState<string[]>(['at', 'dk'])
  const [status, setStatus] = useState('planned')
  const [view, setView] = useState<'month' | 'week' | 'day'>('month')
  const [isOn, setIsOn] = useState(true)
  const [filters, setFilters] = useState<string[]>([])
  const [wanted, setWanted] = useState('')
  return (
    <>
      <Example name="Combobox" only={only}>
        <Combobox label="Country" options={countries} value={country} onChange={setCountry} />
        <MultiCombobox label="Countries" options={countries} values={several} onChange={setSeveral} />
        <Combobox label="Without options" options={[]} value="" onChange={() => {}} hint="Nothing to choose from." />
        <Combobox label="Wrong" options={countries} value="" onChange={setCountry} error="Choose a country." />
      </Example>
      <Example name="Select" only={only}>
        <Select label="Status" value={status} options={statuses} onChange={setStatus} />
        <Select label="Disabled" value={status} options={statuses} onChange={setStatus} disabled />
      </Example>
      <Example name="Checkbox and switch" only={only}>
        <Checkbox label="Archived campaigns" hint="Shown grey" checked={isOn} onChange={setIsOn} />
        <Checkbox label="Not chosen" checked={!isOn} onChange={(value) => setIsOn(!value)} />
        <Switch label="Email notifications" checked={isOn} onChange={setIsOn} />
      </Example>
      <Example name="Segmented control" only={only}>
        <SegmentedControl
          label="View"
          value={view}
          options={[
            { value: 'month', label: 'Month' },
            { value: 'week', label: 'Week' },
            { value: 'day', label: 'Day' },
          ]}
          onChange={setView}
        />
      </Example>
      <Example name="Filters" only={only}>
        <SearchField label="Search campaigns" value={wanted} onChange={setWanted} />
        <Filter label="Status" options={statuses} values={filters} onChange={setFilters} />
        <ToggleChip isOn={isOn} onChange={setIsOn}>
          Mine
        </ToggleChip>
        <ToggleChip isOn={!isOn} onChange={(value) => setIsOn(!value)}>
          Others
        </ToggleChip>
        <p className={styles.result}>Searched: {wanted || 'nothing'}</p>
      </Example>
    </>
  )
}
