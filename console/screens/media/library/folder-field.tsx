import { Combobox } from '../../../ui/inputs/combobox.tsx'
import { words } from '../../../words/words.ts'
import { pathTo, useFolders } from './folders.ts'

/** One of all folders, by its way from the top. */
export function FolderField({ value, onChange }: { value: string; onChange: (folderId: string) => void }) {
  const folders = useFolders()
  const options = folders
    .map(({ Id }) => ({
      value: Id,
      label: pathTo(folders, Id)
        .map(({ Name }) => Name)
        .join(' / '),
    }))
    .toSorted((one, other) => one.label.localeCompare(other.label))
  return (
    <Combobox
      label={words.library.folder}
      value={value}
      options={[{ value: '', label: words.library.noFolder }, ...options]}
      onChange={onChange}
    />
  )
}
