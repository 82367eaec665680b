import { useState } from 'react'
import { setAppearance, useDensity, useTheme } from '@/api/preferences.ts'
import { SegmentedControl } from '@/ui/field.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { Toasts } from '@/ui/toasts.tsx'
import { Appearance, Content, Messages } from './content-examples.tsx'
import * as styles from './gallery.module.css'
import { Choices, Fields } from './input-examples.tsx'
import { Overlays } from './overlay-examples.tsx'
import { Lists } from './table-examples.tsx'

/** The page for one component is `/gallery?only=Combobox`; without it, all are shown. */
export function Gallery() {
  const search = new URLSearchParams(location.search)
  const only = search.get('only')
  const showsAll = !only && !search.has('framed')
  const [isNarrow, setIsNarrow] = useState(false)
  const [theme, density] = [useTheme(), useDensity()]
  return (
    <>
      <main className={styles.gallery}>
        <PageHeader title="Components" about="Examples of everything in console/ui">
          {showsAll && (
            <div className={styles.controls}>
              <SegmentedControl
                label="Theme"
                value={theme}
                options={[
                  { value: '', label: 'System' },
                  { value: 'light', label: 'Light' },
                  { value: 'dark', label: 'Dark' },
                ]}
                onChange={(value) => setAppearance('theme', value)}
              />
              <SegmentedControl
                label="Density"
                value={density}
                options={[
                  { value: '', label: 'Compact' },
                  { value: 'roomy', label: 'Roomy' },
                ]}
                onChange={(value) => setAppearance('density', value)}
              />
              <SegmentedControl
                label="Width"
                value={isNarrow ? 'narrow' : 'wide'}
                options={[
                  { value: 'wide', label: 'Window' },
                  { value: 'narrow', label: 'Phone' },
                ]}
                onChange={(value) => setIsNarrow(value === 'narrow')}
              />
            </div>
          )}
        </PageHeader>
        {isNarrow ? (
          // A frame, because media queries look at its width.
          <iframe key={theme + density} className={styles.phone} src="/gallery?framed" title="Components on a phone" />
        ) : (
          <>
            <Appearance only={only} />
            <Fields only={only} />
            <Choices only={only} />
            <Overlays only={only} />
            <Lists only={only} />
            <Content only={only} />
            <Messages only={only} />
          </>
        )}
      </main>
      <Toasts />
    </>
  )
}
