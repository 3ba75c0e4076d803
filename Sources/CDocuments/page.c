#include "documents.h"

// The files of the page, by their names. A test compares this list with the folder.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char actions_js[] = {
#embed "../API/Page/actions.js"
};
static const unsigned char add_options_js[] = {
#embed "../API/Page/add-options.js"
};
static const unsigned char add_js[] = {
#embed "../API/Page/add.js"
};
static const unsigned char api_js[] = {
#embed "../API/Page/api.js"
};
static const unsigned char attempts_js[] = {
#embed "../API/Page/attempts.js"
};
static const unsigned char columns_js[] = {
#embed "../API/Page/columns.js"
};
static const unsigned char deliveries_js[] = {
#embed "../API/Page/deliveries.js"
};
static const unsigned char detail_js[] = {
#embed "../API/Page/detail.js"
};
static const unsigned char dialog_js[] = {
#embed "../API/Page/dialog.js"
};
static const unsigned char dom_js[] = {
#embed "../API/Page/dom.js"
};
static const unsigned char downloads_view_js[] = {
#embed "../API/Page/downloads-view.js"
};
static const unsigned char dropped_js[] = {
#embed "../API/Page/dropped.js"
};
static const unsigned char edit_many_js[] = {
#embed "../API/Page/edit-many.js"
};
static const unsigned char edit_members_js[] = {
#embed "../API/Page/edit-members.js"
};
static const unsigned char edit_js[] = {
#embed "../API/Page/edit.js"
};
static const unsigned char event_log_js[] = {
#embed "../API/Page/event-log.js"
};
static const unsigned char form_js[] = {
#embed "../API/Page/form.js"
};
static const unsigned char format_js[] = {
#embed "../API/Page/format.js"
};
static const unsigned char frames_js[] = {
#embed "../API/Page/frames.js"
};
static const unsigned char header_js[] = {
#embed "../API/Page/header.js"
};
static const unsigned char hosts_js[] = {
#embed "../API/Page/hosts.js"
};
static const unsigned char icon_svg[] = {
#embed "../API/Page/icon.svg"
};
static const unsigned char icons_js[] = {
#embed "../API/Page/icons.js"
};
static const unsigned char index_html[] = {
#embed "../API/Page/index.html"
};
static const unsigned char keys_js[] = {
#embed "../API/Page/keys.js"
};
static const unsigned char limits_js[] = {
#embed "../API/Page/limits.js"
};
static const unsigned char list_js[] = {
#embed "../API/Page/list.js"
};
static const unsigned char look_js[] = {
#embed "../API/Page/look.js"
};
static const unsigned char main_js[] = {
#embed "../API/Page/main.js"
};
static const unsigned char messages_js[] = {
#embed "../API/Page/messages.js"
};
static const unsigned char metalink_js[] = {
#embed "../API/Page/metalink.js"
};
static const unsigned char nav_js[] = {
#embed "../API/Page/nav.js"
};
static const unsigned char page_css[] = {
#embed "../API/Page/page.css"
};
static const unsigned char panel_js[] = {
#embed "../API/Page/panel.js"
};
static const unsigned char preferences_js[] = {
#embed "../API/Page/preferences.js"
};
static const unsigned char query_js[] = {
#embed "../API/Page/query.js"
};
static const unsigned char row_actions_js[] = {
#embed "../API/Page/row-actions.js"
};
static const unsigned char segments_js[] = {
#embed "../API/Page/segments.js"
};
static const unsigned char selection_js[] = {
#embed "../API/Page/selection.js"
};
static const unsigned char service_js[] = {
#embed "../API/Page/service.js"
};
static const unsigned char session_bar_js[] = {
#embed "../API/Page/session-bar.js"
};
static const unsigned char settings_js[] = {
#embed "../API/Page/settings.js"
};
static const unsigned char sign_in_js[] = {
#embed "../API/Page/sign-in.js"
};
static const unsigned char speed_chart_js[] = {
#embed "../API/Page/speed-chart.js"
};
static const unsigned char stream_js[] = {
#embed "../API/Page/stream.js"
};
static const unsigned char table_js[] = {
#embed "../API/Page/table.js"
};
static const unsigned char theme_js[] = {
#embed "../API/Page/theme.js"
};
static const unsigned char undo_js[] = {
#embed "../API/Page/undo.js"
};
static const unsigned char urls_js[] = {
#embed "../API/Page/urls.js"
};
static const unsigned char visible_progress_js[] = {
#embed "../API/Page/visible-progress.js"
};
static const unsigned char webhooks_js[] = {
#embed "../API/Page/webhooks.js"
};
static const unsigned char words_js[] = {
#embed "../API/Page/words.js"
};

static const struct cormorant_page_file files[] = {
    {"actions.js", actions_js, sizeof actions_js},
    {"add-options.js", add_options_js, sizeof add_options_js},
    {"add.js", add_js, sizeof add_js},
    {"api.js", api_js, sizeof api_js},
    {"attempts.js", attempts_js, sizeof attempts_js},
    {"columns.js", columns_js, sizeof columns_js},
    {"deliveries.js", deliveries_js, sizeof deliveries_js},
    {"detail.js", detail_js, sizeof detail_js},
    {"dialog.js", dialog_js, sizeof dialog_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"downloads-view.js", downloads_view_js, sizeof downloads_view_js},
    {"dropped.js", dropped_js, sizeof dropped_js},
    {"edit-many.js", edit_many_js, sizeof edit_many_js},
    {"edit-members.js", edit_members_js, sizeof edit_members_js},
    {"edit.js", edit_js, sizeof edit_js},
    {"event-log.js", event_log_js, sizeof event_log_js},
    {"form.js", form_js, sizeof form_js},
    {"format.js", format_js, sizeof format_js},
    {"frames.js", frames_js, sizeof frames_js},
    {"header.js", header_js, sizeof header_js},
    {"hosts.js", hosts_js, sizeof hosts_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"icons.js", icons_js, sizeof icons_js},
    {"index.html", index_html, sizeof index_html},
    {"keys.js", keys_js, sizeof keys_js},
    {"limits.js", limits_js, sizeof limits_js},
    {"list.js", list_js, sizeof list_js},
    {"look.js", look_js, sizeof look_js},
    {"main.js", main_js, sizeof main_js},
    {"messages.js", messages_js, sizeof messages_js},
    {"metalink.js", metalink_js, sizeof metalink_js},
    {"nav.js", nav_js, sizeof nav_js},
    {"page.css", page_css, sizeof page_css},
    {"panel.js", panel_js, sizeof panel_js},
    {"preferences.js", preferences_js, sizeof preferences_js},
    {"query.js", query_js, sizeof query_js},
    {"row-actions.js", row_actions_js, sizeof row_actions_js},
    {"segments.js", segments_js, sizeof segments_js},
    {"selection.js", selection_js, sizeof selection_js},
    {"service.js", service_js, sizeof service_js},
    {"session-bar.js", session_bar_js, sizeof session_bar_js},
    {"settings.js", settings_js, sizeof settings_js},
    {"sign-in.js", sign_in_js, sizeof sign_in_js},
    {"speed-chart.js", speed_chart_js, sizeof speed_chart_js},
    {"stream.js", stream_js, sizeof stream_js},
    {"table.js", table_js, sizeof table_js},
    {"theme.js", theme_js, sizeof theme_js},
    {"undo.js", undo_js, sizeof undo_js},
    {"urls.js", urls_js, sizeof urls_js},
    {"visible-progress.js", visible_progress_js, sizeof visible_progress_js},
    {"webhooks.js", webhooks_js, sizeof webhooks_js},
    {"words.js", words_js, sizeof words_js},
};

const struct cormorant_page_file *const cormorant_page_files = files;
const size_t cormorant_page_file_count = sizeof files / sizeof *files;
