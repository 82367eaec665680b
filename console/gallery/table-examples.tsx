import { useState } from 'react'
import { Tabs } from '@/ui/layout.tsx'
import { type Column, type Sorting, Table } from '@/ui/table.tsx'
import { Example, type ExamplesProps } from './example.tsx'
import * as styles from './gallery.module.css'

interface Row {
  id: string
  name: string
  clicks: number
}

const rows: readonly Row[] = Array.from({ length: 500 }, (_, index) => ({
  id: `row-${index}`,
  name: `Campaign ${index + 1}`,
  clicks: (index * 37) % 1000,
}))
const columns: readonly Column<Row>[] = [
  { id: 'name', label: 'Name', width: '60%', sortable: true, render: ({ name }) => name },
  { id: 'clicks', label: 'Clicks', isNumber: true, sortable: true, render: ({ clicks }) => clicks },
]

export function Lists({ only }: ExamplesProps) {
  const [sorting, setSorting] = useState<Sorting>({ column: 'name', isDescending: false })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [openId, setOpenId] = useState<string>()
  const sorted =
    sorting.column === 'clicks'
      ? rows.toSorted((one, other) => (one.clicks - other.clicks) * (sorting.isDescending ? -1 : 1))
      : sorting.isDescending
        ? rows.toReversed()
        : rows
  return (
    <>
      <Example name="Table" only={only}>
        <div className={styles.list}>
          <Table
            label="Campaigns"
            columns={columns}
            rows={sorted}
            rowId={({ id }) => id}
            rowLabel={({ name }) => name}
            openId={openId}
            onOpen={({ id }) => setOpenId(id)}
            sorting={sorting}
            onSort={setSorting}
            selected={selected}
            onSelect={setSelected}
          />
        </div>
        <p className={styles.result}>
          {selected.size} selected, {openId ?? 'none'} open
        </p>
      </Example>
      <Example name="Tabs" only={only}>
        <Tabs
          label="Approvals"
          tabs={[
            { href: '?only=Tabs', label: 'To decide', count: 4, isCurrent: true },
            { href: '?only=Tabs&view=sent', label: 'Sent by me', isCurrent: false },
            { href: '?only=Tabs&view=decided', label: 'Decided', count: 0, isCurrent: false },
          ]}
        />
      </Example>
    </>
  )
}
