/// The domain speaks of URLs everywhere, and `Curl` reads them without the domain. So they have a target of their own,
/// and who imports `Core` has it.
@_exported public import URLs
