"""Where on its page is the figure of a caption, and which caption is a figure's?"""
