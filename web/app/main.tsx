import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider, type RegisteredRouter } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { SignedIn } from './SignedIn.tsx'
import { loadDocumentData } from '../api/document-data.ts'
import { apiQuery } from '../api/query.ts'
import { queryClient } from './query-client.ts'
import { startLocale } from '../i18n/locale.ts'
import { router } from './router.ts'
import { guardAgainstTranslation } from './translation-guard.ts'
import '../styles/index.css'
// follows the system's theme
import '../ui/theme.ts'

/** The console at the address of its router, whose first page is loaded. */
function App({ router }: { router: RegisteredRouter }) {
  return (
    <QueryClientProvider client={router.options.context.queryClient}>
      {/* the only page without a session; leaving it loads a new document */}
      {router.history.location.pathname === '/signed-out' ? (
        <RouterProvider router={router} />
      ) : (
        <SignedIn>
          <RouterProvider router={router} />
        </SignedIn>
      )}
    </QueryClientProvider>
  )
}

const MAX_WAIT_MS = 500

async function start() {
  guardAgainstTranslation(document)
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  const texts = startLocale()
  await loadDocumentData(queryClient)
  // needed for the first paint; fetched here if the document does not contain it
  if (location.pathname !== '/signed-out') void queryClient.prefetchQuery(apiQuery('GET /session', {}))
  // paint everything at once; if the page takes too long, paint only the frame
  const page = router.load()
  const wait = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))
  await Promise.all([texts, Promise.race([page, wait])])
  createRoot(root).render(
    <StrictMode>
      <App router={router} />
    </StrictMode>,
  )
}

void start()
